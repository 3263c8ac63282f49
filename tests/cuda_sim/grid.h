// RunGrid: executes a simulated kernel on the CPU, block by block, its threads as fibres.
#pragma once

#include <string>

#include "tests/cuda_sim/sim_api.h"

namespace dynacc::sim {

class DeviceMemory;

struct GridKernel {
  std::string name;
  void (*start)(SimApi* api);      // tells the kernel's module where the simulator is
  void (*call)(void** arguments);  // runs one thread
};

// Runs all threads. "", or what the kernel did wrong: an access outside of allocations or not
// aligned, a race between two barriers, a barrier or a warp's function that not all threads reach.
std::string RunGrid(const GridKernel& kernel, SimIndex grid, SimIndex block, void** arguments,
                    DeviceMemory& memory);

}  // namespace dynacc::sim
