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

// The shape of a launch.
struct GridShape {
  SimIndex grid, block;
  size_t shared_bytes = 0;  // that the launch asks for, besides what the kernel has
};

// Runs all threads. "", or what the kernel did wrong: an access outside of allocations, or of
// the shared memory that was asked for, or not aligned, a race between two barriers, a barrier or a
// warp's function that not all threads reach.
std::string RunGrid(const GridKernel& kernel, const GridShape& shape, void** arguments,
                    DeviceMemory& memory);

}  // namespace dynacc::sim
