// The options of a Runtime that are not CPython's.
#pragma once

#include "absl/status/status.h"
#include "embed/include/dynacc/runtime.h"

namespace dynacc {

// Puts `options` into the options of this process, except where an environment variable is set.
// INVALID_ARGUMENT for a wrong value.
absl::Status ApplyOptions(const RuntimeOptions& options);

}  // namespace dynacc
