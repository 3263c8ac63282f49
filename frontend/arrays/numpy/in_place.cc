#include "frontend/arrays/numpy/in_place.h"

#include "frontend/arrays/numpy/complex_product.h"
#include "frontend/arrays/numpy/dtypes.h"
#include "frontend/arrays/numpy/sizes.h"

namespace dynacc {
namespace {

// Whether a fresh result of `target` and `other` lies in memory as `target` does.
bool KeepsOrder(TraceContext& trace, NumpyTensor* target, Value* other, NumpyTensor* result) {
  const auto* tensor = As<TensorValue>(other);
  if (target->node->rank() <= 1 || tensor == nullptr || tensor->node->rank() == 0) return true;
  return target->c_order && result->c_order && RequireCOrder(trace, target) &&
         RequireCOrder(trace, result);
}

}  // namespace

absl::Status CheckUpdatable(const TensorValue* target) {
  if (target->source() != nullptr || target->view_of != nullptr || target->has_views) {
    return GraphBreak("in-place update of an existing array");
  }
  return absl::OkStatus();
}

absl::Status UpdateInPlace(TraceContext& trace, NumpyTensor* target, Value* other,
                           NumpyTensor* result) {
  const DType dtype = target->node->dtype;
  if (!PyArray_CanCastTypeTo(Descr(result->node->dtype), Descr(dtype), NPY_SAME_KIND_CASTING)) {
    return GraphBreak("in-place update with a result of another kind");
  }
  if (target->node->rank() == 0) return GraphBreak("in-place update of a rank-0 array");
  if (!IsSameShape(trace, ShapeOf(target), ShapeOf(result))) {
    return RaisingBreak("in-place update with a result of another shape");
  }
  if (!KeepsOrder(trace, target, other, result)) {
    return GraphBreak("in-place update in another memory order");
  }
  target->node = trace.graph().Cast(dtype, InPlaceProduct(trace, target, result));
  return absl::OkStatus();
}

}  // namespace dynacc
