// The text form of kernels (see kernel.h), both ways.
//
//   kernel k0(v0: f64, v1: bool) -> (v3)
//     v2: f64 = exp(v0) library
//     v3: f64 = where(v1, v0, v2)
//
// A library's loop in another form than its first is "library form 1".
// A step's operand dtype is that of its operands; only Cast changes it freely.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::kernel {

std::string KernelText(const Kernel& kernel);

// Reads one kernel. INVALID_ARGUMENT with the line's number and text if it is not one, or breaks
// the verifier's rules.
absl::StatusOr<Kernel> ParseKernel(absl::string_view text);

}  // namespace dynacc::kernel
