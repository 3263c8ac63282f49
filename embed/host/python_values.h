// Values of the host (dynacc/value.h) to Python objects and back. All need the GIL.
#pragma once

#include <Python.h>

#include "absl/status/statusor.h"
#include "embed/include/dynacc/value.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

absl::StatusOr<Ref> ToPython(const Value& value);
absl::StatusOr<Value> FromPython(BorrowedRef object);

// A tuple of `values`; an error names the one by its position, from 1.
absl::StatusOr<Ref> TupleFrom(const std::vector<Value>& values);
// A dict of `pairs`; an error names the key.
absl::StatusOr<Ref> DictFrom(const Dict& pairs);

}  // namespace dynacc
