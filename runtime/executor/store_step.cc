#include "runtime/executor/store_step.h"

#include <algorithm>

#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"

namespace dynacc::executor {
namespace {

// Elements [begin, end) of one axis.
struct Interval {
  int64_t begin;
  int64_t end;
};

// What `region` shows of axis `s`; false if that has gaps or is nothing.
bool IntervalOf(const ViewPlan& region, int s, absl::Span<const ScalarValue> scalars,
                Interval* shown) {
  const int64_t start = scalars[region.start[s]].i;
  *shown = {start, start + 1};
  for (int d = 0; d < region.shape.rank; ++d) {
    const int64_t count = scalars[region.shape.sizes[d]].i;
    if (count == 0) return false;
    if (region.axis[d] != s || count == 1) continue;
    const int64_t step = scalars[region.step[d]].i;
    if (step != 1 && step != -1) return false;
    const int64_t last = start + (count - 1) * step;
    *shown = {std::min(start, last), std::max(start, last) + 1};
  }
  return true;
}

void Narrow(StridedView& view, int axis, Interval to) {
  view.data += to.begin * view.strides[axis];
  view.shape[axis] = to.end - to.begin;
}

// Copies the slab `along` of one axis.
void CopySlab(StridedView from, StridedView to, int axis, Interval along, CopyFn copy) {
  if (along.begin >= along.end) return;
  Narrow(from, axis, along);
  Narrow(to, axis, along);
  copy(from, to);
}

bool IsBroadcast(const StridedView& view) {
  for (int i = 0; i < view.rank; ++i) {
    if (view.strides[i] == 0 && view.shape[i] > 1) return true;
  }
  return false;
}

}  // namespace

void CopyAround(const StridedView& from, const StridedView& to, const ViewPlan& region,
                absl::Span<const ScalarValue> scalars, CopyFn copy) {
  Interval shown[kMaxRank];
  for (int s = 0; s < from.rank; ++s) {
    if (!IntervalOf(region, s, scalars, &shown[s])) return copy(from, to);
  }
  StridedView inner_from = from;
  StridedView inner_to = to;
  for (int s = 0; s < from.rank; ++s) {
    CopySlab(inner_from, inner_to, s, {0, shown[s].begin}, copy);
    CopySlab(inner_from, inner_to, s, {shown[s].end, from.shape[s]}, copy);
    Narrow(inner_from, s, shown[s]);
    Narrow(inner_to, s, shown[s]);
  }
}

absl::Status StoreStep::StartResult(RunFrame& frame) const {
  StridedView storage;
  const StridedView& base = frame.Resolve(plan_.base, storage);
  if (plan_.reuse) {
    frame.Alias(plan_.result, base);
    return absl::OkStatus();
  }
  // A number seen as an array stands for one in C order.
  if (IsBroadcast(base) || frame.kind(plan_.result) == BufferKind::kOutput) {
    DYNACC_RETURN_IF_ERROR(frame.Allocate(plan_.result));
  } else {
    DYNACC_RETURN_IF_ERROR(frame.AllocateLike(plan_.result, base));
  }
  if (plan_.base_is_empty) return absl::OkStatus();
  CopyAround(base, frame.view(plan_.result), plan_.region, frame.scalars(), CopyElements);
  return absl::OkStatus();
}

absl::Status StoreStep::Run(RunFrame& frame) const {
  DYNACC_RETURN_IF_ERROR(StartResult(frame));
  const StridedView part = ApplyView(frame.view(plan_.result), plan_.region, frame.scalars());
  if (plan_.part >= 0) {
    frame.Alias(plan_.part, part);
    return absl::OkStatus();
  }
  StridedView storage;
  const StridedView& value = frame.Resolve(plan_.value, storage);
  CopyElements(value, part);
  const int64_t bytes = part.size() * ItemSize(part.dtype);
  frame.CountLaunch(bytes, bytes);
  return absl::OkStatus();
}

}  // namespace dynacc::executor
