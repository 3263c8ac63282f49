// Whether arrays share memory, decided quickly: "may" where deciding it exactly would take longer.
#pragma once

#include <cstdlib>

#include "runtime/tensor/strided_view.h"

namespace dynacc {

// Whether the bytes among which the elements of `a` lie and those of `b` have any in common.
inline bool MayOverlap(const StridedView& a, const StridedView& b) {
  const MemoryBounds x = BoundsOf(a);
  const MemoryBounds y = BoundsOf(b);
  return x.begin < y.end && y.begin < x.end && x.begin != x.end && y.begin != y.end;
}

// Whether two elements of `view` may share bytes: unless each axis, from the one with the smallest
// stride on, steps over all that the axes before it span.
inline bool MayRepeatElements(const StridedView& view) {
  int axes[kMaxRank];
  int count = 0;
  for (int i = 0; i < view.rank; ++i) {
    if (view.shape[i] == 0) return false;
    if (view.shape[i] == 1) continue;
    int at = count++;
    for (; at > 0 && std::abs(view.strides[axes[at - 1]]) > std::abs(view.strides[i]); --at) {
      axes[at] = axes[at - 1];
    }
    axes[at] = i;
  }
  int64_t span = ItemSize(view.dtype);
  for (int i = 0; i < count; ++i) {
    const int64_t stride = std::abs(view.strides[axes[i]]);
    if (stride < span) return true;
    span += (view.shape[axes[i]] - 1) * stride;
  }
  return false;
}

}  // namespace dynacc
