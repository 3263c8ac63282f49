// np.errstate of NumPy 2, whose __enter__ and __exit__ set a context variable in C.
//
// For those two methods forms of our own are traced, in terms of two functions that exist in
// captured code only. What the first gives stands for the variable's token, and no segment can
// leave it behind: a segment that would end within the `with` ends before it.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc::numpy {

// The form that is traced for `function`; null if it is neither method, or not as we know it.
Ref ErrorScopeForm(BorrowedRef function);

// Whether it is one of the two functions of the forms; a traced call of it.
bool IsErrorScope(BorrowedRef callable);
absl::StatusOr<symbolic::Value*> CallErrorScope(symbolic::TraceContext& trace, BorrowedRef callable,
                                                const arrays::CallArgs& args);

}  // namespace dynacc::numpy
