#include "runtime/executor/store_step.h"

#include <algorithm>

#include "runtime/base/status_macros.h"
#include "runtime/executor/bound_program.h"
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

bool StoreStep::Bind(Binder& binder) const {
  const RunFrame& frame = binder.frame();
  StridedView storage;
  const StridedView& base = frame.Resolve(plan_.base, storage);
  const bool is_output = frame.kind(plan_.result) == BufferKind::kOutput;
  if (!IsShortCopy(base) || (plan_.reuse && is_output)) return false;
  if (plan_.reuse) {
    binder.Alias(plan_.result, binder.AddressOf(plan_.base));
  } else if (IsBroadcast(base) || is_output) {
    binder.Allocate(plan_.result);
  } else {
    binder.AllocateLike(plan_.result);
  }
  const StridedView& result = frame.view(plan_.result);
  if (!plan_.reuse && !plan_.base_is_empty) {
    // Where the part lies decides what is copied.
    for (int axis = 0; axis < plan_.region.operand_rank; ++axis) {
      binder.Keep(plan_.region.start[axis]);
    }
    const BoundAddress from = binder.AddressOf(plan_.base), to = binder.AddressOf(plan_.result);
    const auto copy = [&](const StridedView& slab, const StridedView& target) {
      BoundAddress slab_at = from, target_at = to;
      slab_at.offset += slab.data - base.data;
      target_at.offset += target.data - result.data;
      binder.Copy(slab, std::move(slab_at), target, std::move(target_at));
    };
    CopyAround(base, result, plan_.region, frame.scalars(), copy);
  }
  const StridedView part = ApplyView(result, plan_.region, frame.scalars());
  BoundAddress part_at = binder.AddressOf(plan_.result, {&plan_.region, 1});
  if (plan_.part >= 0) {
    binder.Alias(plan_.part, std::move(part_at));
    return true;
  }
  const StridedView& value = frame.Resolve(plan_.value, storage);
  binder.Copy(value, binder.AddressOf(plan_.value), part, std::move(part_at));
  return true;
}

}  // namespace dynacc::executor
