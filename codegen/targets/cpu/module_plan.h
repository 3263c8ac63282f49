// ModulePlan: which kernels of a graph the CPU's compiler sees, and in which modules.
//
// A kernel that comes again, as in a model of many equal layers, is compiled once. The others are
// put into modules of a few: in one module they share the compiler's start and the prelude, some
// 3 ms; several modules are compiled on several threads.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::cpu {

struct ModulePlan {
  struct Place {
    int module;
    int kernel;
  };
  std::vector<std::vector<kernel::Kernel>> modules;  // names are distinct within each
  std::vector<Place> places;                         // of each given kernel
};

// Depends on nothing but the kernels, so that a module is found again in the kernel cache.
ModulePlan PlanModules(absl::Span<const kernel::Kernel> kernels);

}  // namespace dynacc::cpu
