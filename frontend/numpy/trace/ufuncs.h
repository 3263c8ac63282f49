// The ufuncs of ops.def: NumPy's objects, and their inner loops for the run time.
#pragma once

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::numpy {

// Finds the ufunc that each row of ops.def names in the module and registers its loops
// (library_loops.h). A name that is bound to anything but NumPy's own ufunc is left out: its op is
// then never traced.
void LoadUfuncs(BorrowedRef numpy_module);

// NumPy's ufunc for `op`, or null if the op has none or was left out. Borrowed.
PyUFuncObject* UfuncOf(Op op);

// The ufunc of that name in NumPy's inner module, also one that no op stands for and that has no
// public name; null if there is none with one result. Borrowed from the module.
PyUFuncObject* InternalUfunc(const char* name);

// Whether `callable` is a ufunc of NumPy's own that works element by element and has one result.
bool IsUfunc(BorrowedRef callable);

// The unary or binary op that `callable` computes, if it is one of the ufuncs above.
std::optional<Op> ElementwiseOpOf(BorrowedRef callable);

// The types that NumPy gives the loop for these operands, inputs then outputs, as NumPy type
// numbers: what a call of the ufunc would choose, under NumPy 1.x by value where an operand is an
// array of rank 0; under NumPy 2 the operands may be (weak) Python numbers. Empty if NumPy would
// raise.
std::vector<int> ResolveTypes(PyUFuncObject* ufunc, absl::Span<PyObject* const> operands);

}  // namespace dynacc::numpy
