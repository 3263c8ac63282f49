#include "frontend/numpy/trace/slice_bounds.h"

#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/data_dependent_place.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// PySlice_AdjustIndices of CPython for one bound: counted from the end if negative, then clipped
// to [lowest, highest].
Size Clip(symbolic::TraceContext& trace, Size bound, Size size, Size lowest, Size highest) {
  if (IsLess(trace, bound, ConstantSize(trace, 0))) {
    // size - (-bound): so that a[:-1] and a[1:] have sizes that are one expression.
    bound = Apply(trace, ScalarOp::kSub, size, Negate(trace, bound));
    return IsLess(trace, bound, lowest) ? lowest : bound;
  }
  return IsLess(trace, highest, bound) ? highest : bound;
}

// (last - first) / step rounded up, for first < last.
Size CountSteps(symbolic::TraceContext& trace, Size first, Size last, int64_t step) {
  Size distance = Apply(trace, ScalarOp::kSub, last, first);
  // How the hint of a data-dependent place compares with a size says nothing.
  if (trace.IsDataDependent(distance.id) && distance.hint <= 0)
    distance.hint = symbolic::TraceContext::kDataDependentHint;
  if (step == 1) return distance;
  const Size rounded = Apply(trace, ScalarOp::kAdd, distance, ConstantSize(trace, step - 1));
  return Apply(trace, ScalarOp::kFloorDiv, rounded, ConstantSize(trace, step));
}

bool IsGiven(const symbolic::Value* value) { return value != nullptr && !IsNone(value); }

bool IsDataDependentPlace(symbolic::TraceContext& trace, symbolic::Value* value) {
  auto* const number = symbolic::As<symbolic::NumberValue>(value);
  return number != nullptr && trace.IsDataDependent(number->id);
}

// A slice of step `stride` one of whose bounds only the run tells: it is taken for granted that it
// needs no clipping, and that the slice has elements.
absl::StatusOr<SliceBounds> BoundsOfDataDependent(symbolic::TraceContext& trace,
                                                  symbolic::Value* start, symbolic::Value* stop,
                                                  int64_t stride, Size size) {
  if (stride < 0) return symbolic::GraphBreak("a slice backwards from a place that arrays compute");
  const Size zero = ConstantSize(trace, 0);
  const auto place = [&](symbolic::Value* bound, Size otherwise) -> absl::StatusOr<Size> {
    if (!IsGiven(bound)) return otherwise;
    DYNACC_ASSIGN_OR_RETURN(const Size given, SizeFrom(trace, bound));
    if (!IsDataDependentPlace(trace, bound)) return Clip(trace, given, size, zero, size);
    const bool may_fit = TakeForGranted(trace, ScalarOp::kLe, zero, given) &&
                         TakeForGranted(trace, ScalarOp::kLe, given, size);
    return may_fit ? absl::StatusOr<Size>(given)
                   : symbolic::GraphBreak("a slice that needs clipping");
  };
  DYNACC_ASSIGN_OR_RETURN(const Size first, place(start, zero));
  DYNACC_ASSIGN_OR_RETURN(const Size last, place(stop, size));
  if (!TakeForGranted(trace, ScalarOp::kLt, first, last))
    return symbolic::GraphBreak("a view of no elements");
  return SliceBounds{first, CountSteps(trace, first, last, stride), stride};
}

}  // namespace

absl::StatusOr<SliceBounds> BoundsOf(symbolic::TraceContext& trace, symbolic::Value* start,
                                     symbolic::Value* stop, symbolic::Value* step, Size size) {
  int64_t stride = 1;
  if (IsGiven(step)) {
    DYNACC_ASSIGN_OR_RETURN(stride, trace.ConstantInt(step));
  }
  if (stride == 0 || stride == INT64_MIN) return symbolic::GraphBreak("a slice with a bad step");
  for (symbolic::Value* bound : {start, stop}) {
    if (IsGiven(bound) && IsDataDependentPlace(trace, bound)) {
      return BoundsOfDataDependent(trace, start, stop, stride, size);
    }
  }
  const Size one = ConstantSize(trace, 1);
  const bool forward = stride > 0;
  const Size lowest = ConstantSize(trace, forward ? 0 : -1);
  const Size highest = forward ? size : Apply(trace, ScalarOp::kSub, size, one);
  Size first = forward ? lowest : highest;
  Size last = forward ? highest : lowest;
  if (IsGiven(start)) {
    DYNACC_ASSIGN_OR_RETURN(const Size given, SizeFrom(trace, start));
    first = Clip(trace, given, size, lowest, highest);
  }
  if (IsGiven(stop)) {
    DYNACC_ASSIGN_OR_RETURN(const Size given, SizeFrom(trace, stop));
    last = Clip(trace, given, size, lowest, highest);
  }
  const Size low = forward ? first : last;
  const Size high = forward ? last : first;
  if (!IsLess(trace, low, high)) {
    // NumPy lets an empty slice start at 0 with a step of 1, which its strides show.
    return SliceBounds{ConstantSize(trace, 0), ConstantSize(trace, 0), 1};
  }
  return SliceBounds{first, CountSteps(trace, low, high, forward ? stride : -stride), stride};
}

}  // namespace dynacc::numpy
