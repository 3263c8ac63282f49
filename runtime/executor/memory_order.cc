#include "runtime/executor/memory_order.h"

#include <algorithm>
#include <cstdlib>

namespace dynacc::executor {
namespace {

enum class Comparison { kAmbiguous, kKeep, kSwap };

// Whether axis `outer` (slower in C order) should move inside axis `inner`.
Comparison Compare(absl::Span<const int64_t* const> strides, int outer, int inner) {
  Comparison result = Comparison::kAmbiguous;
  for (const int64_t* operand : strides) {
    const int64_t outer_stride = std::abs(operand[outer]);
    const int64_t inner_stride = std::abs(operand[inner]);
    if (outer_stride == 0 || inner_stride == 0) continue;
    if (inner_stride <= outer_stride) return Comparison::kKeep;
    result = Comparison::kSwap;
  }
  return result;
}

}  // namespace

AxisOrder COrder(int rank) {
  AxisOrder order = {};
  for (int i = 0; i < rank; ++i) order.axis[i] = static_cast<int8_t>(rank - 1 - i);
  return order;
}

AxisOrder FindAxisOrder(int rank, absl::Span<const int64_t* const> strides) {
  AxisOrder order = COrder(rank);
  for (int i = 1; i < rank; ++i) {
    const int8_t moving = order.axis[i];
    int position = i;
    for (int j = i - 1; j >= 0; --j) {
      const Comparison comparison = Compare(strides, moving, order.axis[j]);
      if (comparison == Comparison::kKeep) break;
      if (comparison == Comparison::kSwap) position = j;
    }
    std::rotate(order.axis + position, order.axis + i, order.axis + i + 1);
  }
  return order;
}

AxisOrder SortAxesByStride(int rank, const int64_t* strides) {
  AxisOrder order = COrder(rank);
  std::stable_sort(order.axis, order.axis + rank,
                   [strides](int a, int b) { return std::abs(strides[a]) < std::abs(strides[b]); });
  return order;
}

void SetDenseStrides(StridedView& view, const AxisOrder& order) {
  int64_t stride = ItemSize(view.dtype);
  for (int i = 0; i < view.rank; ++i) {
    view.strides[order.axis[i]] = stride;
    // Of an array too large to be made it may be anything.
    if (__builtin_mul_overflow(stride, view.shape[order.axis[i]], &stride)) stride = 0;
  }
}

void IteratorStrides(const StridedView& view, int64_t* strides) {
  for (int i = 0; i < view.rank; ++i) strides[i] = view.shape[i] == 1 ? 0 : view.strides[i];
}

bool IsCOrdered(const StridedView& view) {
  int64_t inner = 0;
  for (int i = view.rank - 1; i >= 0; --i) {
    const int64_t stride = std::abs(view.strides[i]);
    if (view.shape[i] == 1 || stride == 0) continue;
    if (stride < inner) return false;
    inner = stride;
  }
  return true;
}

bool IsContiguous(const StridedView& view) {
  int64_t expected = ItemSize(view.dtype);
  bool even = true;
  for (int i = view.rank - 1; i >= 0; --i) {
    if (view.shape[i] == 0) return true;
    even &= view.shape[i] == 1 || view.strides[i] == expected;
    expected *= view.shape[i];
  }
  return even;
}

}  // namespace dynacc::executor
