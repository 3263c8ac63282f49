// The kernels of a program, made callable.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/program/plan_archive.h"
#include "runtime/program/program_file.h"

namespace dynacc::program {

struct LoadedKernels {
  std::vector<BoundKernel> kernels;
  std::string level;  // whose code it is; empty: loops of ours
};

// With the code of the best level of this machine that there is. INVALID_ARGUMENT if a kernel's
// text or object is none; UNIMPLEMENTED if a loop is missing.
absl::StatusOr<LoadedKernels> LoadKernels(const ProgramContents& contents);

}  // namespace dynacc::program
