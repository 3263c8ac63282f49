#include "runtime/executor/reduce_calls.h"

#include <algorithm>
#include <vector>

namespace dynacc::executor {
namespace {

bool has_growing_calls = false;

// The innermost axes that are reduced, coalesced where the source has one stride, and the size of
// the next axis, which is kept; 0 if there is none.
struct InnerAxes {
  std::vector<int64_t> sizes;
  int64_t kept = 0;
};

InnerAxes FindInnerAxes(const StridedView& source, const AxisOrder& order, uint32_t reduced) {
  InnerAxes inner;
  int64_t next_stride = 0;  // of an axis that would coalesce
  for (int i = 0; i < source.rank; ++i) {
    const int axis = order.axis[i];
    const int64_t size = source.shape[axis];
    if (size == 1) continue;
    if (!(reduced >> axis & 1)) {
      inner.kept = size;
      break;
    }
    if (!inner.sizes.empty() && source.strides[axis] == next_stride) {
      inner.sizes.back() *= size;
    } else {
      inner.sizes.push_back(size);
    }
    next_stride = source.strides[axis] * size;
  }
  return inner;
}

// The setup found so far: the axes up to some one are walked, in buffers that hold copies.
struct Setup {
  int64_t core;  // elements of the axes below the outermost one
  int64_t size;  // and of all
  int cost;      // 1, and 1 for each operand that is copied
};

}  // namespace

void SetGrowingCalls(bool grow) { has_growing_calls = grow; }
bool HasGrowingCalls() { return has_growing_calls; }

ReduceCalls FindGrowingCalls(const StridedView& source, const AxisOrder& order, uint32_t reduced) {
  const InnerAxes inner = FindInnerAxes(source, order, reduced);
  if (inner.sizes.empty()) return {};
  Setup best = {1, inner.sizes[0], 1};
  int64_t size = inner.sizes[0];
  int cost = 1;
  for (size_t axis = 1; axis < inner.sizes.size(); ++axis) {
    if (cost > 1 && size >= kChunkElements) break;
    cost = 2;  // the source has a gap here
    const Setup wider = {size, size * inner.sizes[axis], cost};
    size = wider.size;
    if (cost * best.size <= best.cost * std::min(size, kChunkElements)) best = wider;
  }
  // A kept axis above them all: the reduced ones are the core, and each is one call.
  const bool ends = cost > 1 && size >= kChunkElements;
  if (inner.kept > 0 && !ends) {
    const int64_t buffered = std::min(size * inner.kept, kChunkElements);
    if ((cost + 1) * best.size <= best.cost * buffered) return {size, size};
  }
  if (best.cost == 1 || best.size <= kChunkElements) return {best.size, best.size};
  return {best.size, best.core * (kChunkElements / best.core)};
}

}  // namespace dynacc::executor
