// The rules that every Kernel keeps; run on kernels that are parsed, and in debug builds on all.
#pragma once

#include "absl/status/status.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::kernel {

// INVALID_ARGUMENT naming the first step that is wrong: an op that kernels cannot have, operands
// that are missing, too many, later than the step, or of another dtype than it says; a result that
// does not follow from the op; an output that is no value or is an input.
absl::Status VerifyKernel(const Kernel& kernel);

}  // namespace dynacc::kernel
