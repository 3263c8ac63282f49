// StridedView: where the elements of one tensor lie. Plain data, owns nothing, no allocation.
#pragma once

#include <cstdint>

#include "runtime/tensor/dtype.h"

namespace dynacc {

// Largest rank that kernels take; arrays of a higher rank stay with the array library.
inline constexpr int kMaxRank = 8;

// Element [i0, i1, ...] lies at data + i0 * strides[0] + i1 * strides[1] + ...
// `shape` counts elements, `strides` are bytes and may be 0 (broadcast) or negative. Both are
// unspecified from `rank` on: to clear them took a tenth of a small call.
struct StridedView {
  StridedView() {}  // NOLINT(modernize-use-equals-default): that would clear shape and strides

  char* data = nullptr;
  DType dtype = DType::kFloat64;
  int rank = 0;
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank];

  int64_t size() const {
    int64_t count = 1;
    for (int i = 0; i < rank; ++i) count *= shape[i];
    return count;
  }
};

// The bytes [low, high) from `data` on among which all elements lie, low <= 0; none for an empty
// view. Of a view without memory, too.
struct ByteRange {
  int64_t low, high;
};

inline ByteRange ByteRangeOf(const StridedView& view) {
  ByteRange range = {0, ItemSize(view.dtype)};
  for (int i = 0; i < view.rank; ++i) {
    if (view.shape[i] == 0) return {0, 0};
    const int64_t extent = (view.shape[i] - 1) * view.strides[i];
    (extent < 0 ? range.low : range.high) += extent;
  }
  return range;
}

// The same in memory.
struct MemoryBounds {
  char* begin;
  char* end;
};

inline MemoryBounds BoundsOf(const StridedView& view) {
  const ByteRange range = ByteRangeOf(view);
  return {view.data + range.low, view.data + range.high};
}

// Fills `view.strides` for C order (last axis fastest, no gaps). An axis of size 0 counts as one of
// size 1, as in NumPy (_array_fill_strides in ctors.c).
inline void SetContiguousStrides(StridedView& view) {
  int64_t stride = ItemSize(view.dtype);
  for (int i = view.rank - 1; i >= 0; --i) {
    view.strides[i] = stride;
    if (view.shape[i] != 0) stride *= view.shape[i];
  }
}

}  // namespace dynacc
