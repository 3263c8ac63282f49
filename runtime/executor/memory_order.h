// NumPy's choice of memory order ("K order"), by its own rules.
//
// The strides of a fresh result follow the operands' (npyiter_find_best_axis_ordering in NumPy's
// nditer_constr.c): programs can see them, and they decide the order in which sums are added.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::executor {

// A permutation of axes, the fastest (innermost) first.
struct AxisOrder {
  int8_t axis[kMaxRank];
};

AxisOrder COrder(int rank);

// The order in which nditer would iterate over operands with these strides (bytes, 0 where an
// operand is broadcast or the axis has size 1): an insertion sort from C order by absolute stride,
// in which a stride of 0 does not compare and C order wins between operands that disagree.
AxisOrder FindAxisOrder(int rank, absl::Span<const int64_t* const> strides);

// The order of ndarray.copy(order="K") and astype: a stable sort by absolute stride, 0 included.
AxisOrder SortAxesByStride(int rank, const int64_t* strides);

// Strides without gaps for `view`'s shape and dtype in that order.
void SetDenseStrides(StridedView& view, const AxisOrder& order);

// `view`'s strides as nditer sees them: 0 on axes of size 1.
void IteratorStrides(const StridedView& view, int64_t* strides);

// Whether nditer would keep C order for this operand, whatever its steps and broadcast axes.
bool IsCOrdered(const StridedView& view);

// Whether the elements lie in C order without gaps.
bool IsContiguous(const StridedView& view);

}  // namespace dynacc::executor
