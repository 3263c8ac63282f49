#include "frontend/numpy/trace/in_place.h"

#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/complex_product.h"
#include "frontend/numpy/trace/sizes.h"
#include "frontend/numpy/trace/storage.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {

absl::Status UpdateInPlace(symbolic::TraceContext& trace, NumpyTensor* target,
                           NumpyTensor* result) {
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, target));
  const DType dtype = target->node->dtype;
  if (!PyArray_CanCastTypeTo(Descr(result->node->dtype), Descr(dtype), NPY_SAME_KIND_CASTING)) {
    return symbolic::RaisingBreak("in-place update with a result of another kind");
  }
  DYNACC_RETURN_IF_ERROR(RefuseStoredProduct(trace, result));
  const Shape shape = ShapeOf(target);
  const Shape from = ShapeOf(result);
  DYNACC_ASSIGN_OR_RETURN(const Shape both, BroadcastShapes(trace, {shape, from}));
  if (!IsSameShape(trace, both, shape)) {
    return symbolic::RaisingBreak("in-place update with a result of another shape");
  }
  const ir::Node* const in_place = dtype == result->node->dtype
                                       ? InPlaceProduct(result->node, /*right=*/false, trace)
                                       : result->node;
  const ir::Node* const cast = trace.graph().Cast(dtype, in_place);
  const ir::Node* const content = Broadcast(trace, cast, from, shape);
  return Write(trace, target, content, content == cast ? result->c_order : std::nullopt);
}

}  // namespace dynacc::numpy
