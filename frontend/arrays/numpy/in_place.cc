#include "frontend/arrays/numpy/in_place.h"

#include "frontend/arrays/numpy/dtypes.h"
#include "frontend/arrays/numpy/sizes.h"

namespace dynacc {
absl::Status CheckUpdatable(const TensorValue* target) {
  if (target->source() != nullptr || target->view_of != nullptr || target->has_views) {
    return GraphBreak("in-place update of an existing array");
  }
  return absl::OkStatus();
}

absl::Status UpdateInPlace(TraceContext& trace, NumpyTensor* target, NumpyTensor* result) {
  const DType dtype = target->node->dtype;
  if (!PyArray_CanCastTypeTo(Descr(result->node->dtype), Descr(dtype), NPY_SAME_KIND_CASTING)) {
    return GraphBreak("in-place update with a result of another kind");
  }
  if (target->node->rank() == 0) return GraphBreak("in-place update of a rank-0 array");
  if (!IsSameShape(trace, ShapeOf(target), ShapeOf(result))) {
    return RaisingBreak("in-place update with a result of another shape");
  }
  target->node = trace.graph().Update(target->node, trace.graph().Cast(dtype, result->node));
  return absl::OkStatus();
}

}  // namespace dynacc
