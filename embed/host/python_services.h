// What the Python module dynacc._host does for the host's classes.
#pragma once

#include "absl/status/statusor.h"
#include "embed/include/dynacc/value.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// dynacc._host.NAME(arguments). Needs the GIL.
absl::StatusOr<Ref> CallService(const char* name, const List& arguments);

}  // namespace dynacc
