// Faults: which calls of the simulated driver shall fail, and what the device shall be like.
//
// From the environment, read at the first call, or by DynaccSimConfigure (simulator.cc):
//   DYNACC_SIM_FAIL     "cuLaunchKernelEx:2:719,cuMemHostAlloc:*:2": the second launch and every
//                       pinned allocation fail with these CUresults
//   DYNACC_SIM_LACKS    "cuMemPoolCreate,cuLaunchKernelEx": entry points that are missing
//   DYNACC_SIM_DEVICES  how many devices there are (1)
//   DYNACC_SIM_MEMORY   bytes of memory of each (256 MiB)
//   DYNACC_SIM_SLOW     microseconds that every operation of a stream takes (0)
//   DYNACC_SIM_SOURCES  a folder that receives each source that is compiled, once
#pragma once

#include <cstdint>
#include <string>

namespace dynacc::sim {

struct Settings {
  int devices = 1;
  uint64_t memory = uint64_t{256} << 20;
  int slow_microseconds = 0;
  std::string sources;
};

const Settings& TheSettings();

// Whether the function is missing from this driver.
bool IsLacking(const std::string& function);

// Counts a call; the CUresult with which it shall fail, or 0.
int FaultOf(const char* function);

// Replaces everything by what `text` says: the variables above, one "NAME=value" a line.
void Configure(const std::string& text);

}  // namespace dynacc::sim
