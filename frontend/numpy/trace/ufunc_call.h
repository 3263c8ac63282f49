// A call of a ufunc that works element by element and is an op: np.add(a, b, out=c, where=mask).
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"
#include "runtime/ops/op.h"

namespace dynacc::numpy {

// A graph break where NumPy itself has to be called: dtype=, another order, an argument of a type
// that kernels do not know.
absl::StatusOr<symbolic::Value*> CallUfunc(symbolic::TraceContext& trace, Op op,
                                           const arrays::CallArgs& args);

// A call of any ufunc that works element by element: as an op, or by NumPy.
absl::StatusOr<symbolic::Value*> CallAnyUfunc(symbolic::TraceContext& trace, BorrowedRef ufunc,
                                              const arrays::CallArgs& args);

}  // namespace dynacc::numpy
