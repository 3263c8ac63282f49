// Methods of ufuncs: np.add.reduce, np.multiply.outer ...
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc::numpy {

// `ufunc.name` if it is one of the methods that are traced, else null.
Ref UfuncMethod(BorrowedRef ufunc, absl::string_view name);
// Whether `callable` is such a method.
bool IsUfuncMethod(BorrowedRef callable);
absl::StatusOr<symbolic::Value*> CallUfuncMethod(symbolic::TraceContext& trace,
                                                 BorrowedRef callable,
                                                 const arrays::CallArgs& args);

}  // namespace dynacc::numpy
