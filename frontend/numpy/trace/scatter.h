// Writing through arrays of indices: `a[rows] = v`, `a[rows, columns] += v`, `a[mask] = values`,
// `np.add.at(a, rows, v)`.
//
// The graph's node is a function of ours that copies the array and has NumPy write into the copy,
// which then is the array's content. So NumPy says what is written where an index comes twice, and
// the array itself is written at the segment's end only, if all indices were good.
#pragma once

#include "absl/status/status.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

// `a[key] = value`; `a`, an array or a tensor, may be written. GraphBreak where the copy would cost
// more than the store.
absl::Status StoreThroughIndices(symbolic::TraceContext& trace, NumpyTensor* a,
                                 symbolic::Value* key, symbolic::Value* value);

// The function of its node: stored(base, key, value) gives the new content.
BorrowedRef StoredFunction();

// ufunc.at(a, key, value): `at` is the ufunc's method, `value` null for a unary one.
absl::Status UpdateThroughIndices(symbolic::TraceContext& trace, BorrowedRef at, NumpyTensor* a,
                                  symbolic::Value* key, symbolic::Value* value);

// The function of its node: updated(at, base, key, value) gives the new content.
BorrowedRef UpdatedFunction();

}  // namespace dynacc::numpy
