// C++ functions that Python calls.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "embed/include/dynacc/function.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// A Python builtin of that name which calls `function` (see HostFunction). Needs the GIL.
absl::StatusOr<Ref> MakeHostFunction(std::string name, HostFunction function);

}  // namespace dynacc
