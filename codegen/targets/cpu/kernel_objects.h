// Kernels as object files, for several levels of CPUs at once and without loading any.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::cpu {

struct KernelObjects {
  // A kernel as it was compiled, under its name in its module.
  struct Place {
    kernel::Kernel kernel;
    int lanes = 0;  // of a vector in the module
    int module = 0;
  };
  std::vector<Place> places;                      // of each given kernel
  std::vector<std::vector<std::string>> objects;  // of each level: one for each module
};

// `levels`: as -march names them ("x86-64-v3"), also ones that this machine has not. Errors:
// CompileObject's (plugin_loader.h).
absl::StatusOr<KernelObjects> CompileKernelObjects(absl::Span<const kernel::Kernel> kernels,
                                                   absl::Span<const std::string> levels);

}  // namespace dynacc::cpu
