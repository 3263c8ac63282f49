// Writing through arrays of indices: `a[rows] = v`, `a[rows, columns] += v`, `a[mask] = values`,
// `np.add.at(a, rows, v)`.
//
// The graph's node is a function of ours that copies the array and has NumPy write into the copy,
// which then is the array's content. So NumPy says what is written where an index comes twice, and
// the array itself is written at the segment's end only, if all indices were good.
#pragma once

#include "absl/status/status.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/symbolic/trace_context.h"

namespace dynacc::numpy {

// Whether the graph may be differentiated: then an op that has a gradient is worth more than a call
// of NumPy's own that is a little faster.
inline bool MayBeDifferentiated(const symbolic::TraceContext& trace) {
  return trace.has_free_orders() || trace.gradient_rules() != nullptr;
}

// `a[key] = value`; `a`, an array or a tensor, may be written. A list or tuple of few values is
// stored one by one. GraphBreak where the copy would cost more than the store.
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
