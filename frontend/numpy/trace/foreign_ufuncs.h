// Ufuncs that other libraries made: SciPy's special functions, Numba's vectorize and guvectorize,
// extension modules.
//
// A ufunc has no effect and gives fresh arrays, so a call of one is a library call, and no graph
// break. Ufuncs of Python objects (np.frompyfunc) are left to the program: they call Python code.
//
// scipy.special's functions of one or two numbers are ops of their own (registered_ops.h), named
// "scipy.special.erf". Their inner loops compute each element by itself, so they may run on the
// tiles of a kernel, with SciPy's very bits. They report no floating-point errors: their loops
// clear the flags. Where scipy.special.errstate asks for warnings or exceptions they are library
// calls like the others. scipy_special.def says what a device computes in their place.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc::numpy {

// Whether it is a ufunc, and none of NumPy's own.
bool IsForeignUfunc(BorrowedRef callable);

// What calling it gives.
absl::StatusOr<symbolic::Value*> CallForeignUfunc(symbolic::TraceContext& trace, BorrowedRef ufunc,
                                                  const arrays::CallArgs& args);

}  // namespace dynacc::numpy
