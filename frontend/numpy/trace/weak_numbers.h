// Weak numbers: NumPy 2's promotion (NEP 50), by which a Python int, float or complex takes the
// dtype of the arrays and NumPy scalars that it meets, whatever its value.
//
// An operand's example is an array, which counts with its dtype, or one of those three Python
// types. A number must then be an element of the dtype that was found: an int that is not raises
// OverflowError (a comparison has rules of its own), a float becomes infinite with a warning. Such
// numbers are NumPy's business, and the entry requires that there are none.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/operand.h"

namespace dynacc::numpy {

// Whether the object is a Python int, float or complex, and none of a class below.
bool IsWeakNumber(BorrowedRef object);

// The types that the ufunc gives its loop for these examples, inputs then outputs: what its method
// resolve_dtypes says. Empty if NumPy would raise.
std::vector<int> ResolveWeakTypes(PyUFuncObject* ufunc, absl::Span<PyObject* const> examples);

// The type number of np.result_type of two examples; -1 if NumPy would raise.
int WeakResultType(BorrowedRef a, BorrowedRef b);
// The same of two arrays by NumPy 1.x's rules.
int ResultTypeByValue(BorrowedRef a, BorrowedRef b);

// Requires, if the operand is a Python number, that NumPy makes an element of `dtype` of it without
// an error, a warning or a rounding that a cast from int64 or float64 would not do. GraphBreak if
// it is not so now.
absl::Status RequireElement(symbolic::TraceContext& trace, const Operand& operand, DType dtype);

}  // namespace dynacc::numpy
