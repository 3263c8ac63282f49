// Python exceptions to Status and back (dynacc/errors.h has the tables). All need the GIL.
#pragma once

#include "absl/status/status.h"
#include "embed/include/dynacc/errors.h"

namespace dynacc {

// The current exception, cleared, as a Status. INTERNAL if there is none.
absl::Status TakeException();

// Raises `status` in Python.
void RaiseStatus(const absl::Status& status);

}  // namespace dynacc
