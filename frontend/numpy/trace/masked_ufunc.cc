#include "frontend/numpy/trace/masked_ufunc.h"

#include "absl/algorithm/container.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/operand.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// `node` of shape `own` in the shape `shape`.
absl::StatusOr<const ir::Node*> SpreadTo(symbolic::TraceContext& trace, const ir::Node* node,
                                         const Shape& own, const Shape& shape) {
  DYNACC_ASSIGN_OR_RETURN(const Shape both, BroadcastShapes(trace, {own, shape}));
  if (!IsSameShape(trace, both, shape))
    return symbolic::RaisingBreak("operands of another shape than out");
  return Broadcast(trace, node, own, shape);
}

// The operand in the shape of `out`, with ones where the mask is false.
absl::StatusOr<symbolic::Value*> Guarded(symbolic::TraceContext& trace, const Operand& operand,
                                         const ir::Node* mask, const NumpyTensor* out) {
  const Shape shape = ShapeOf(out);
  ir::Graph& graph = trace.graph();
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* spread,
                          SpreadTo(trace, operand.tensor->node, operand.shape, shape));
  const ir::Node* const one = graph.Scalar(operand.dtype, graph.scalars().Int(1));
  const ir::Node* const node = graph.Where(mask, spread, graph.BroadcastTo(one, shape.ids));
  return NewTensor(trace, node, shape, Combine(operand.tensor->c_order, out->c_order));
}

// Whether NumPy may warn as it reads what `out` holds. It does, whatever the mask says, into the
// buffer of a loop that has another dtype: of imaginary parts, and of what that dtype cannot hold.
bool MayWarnOfReading(DType out, DType loop) {
  return IsInexact(out) && PyArray_CanCastSafely(TypeNum(out), TypeNum(loop)) == 0;
}

// Whether NumPy casts floats for the loop: it does so whatever the mask says, and reports the
// signalling NaNs that it meets.
bool CastsFloats(const ir::Node* result) {
  return absl::c_any_of(result->operands, [](const ir::Node* node) {
    while (node->op == Op::kView) node = node->operands[0];
    return node->op == Op::kCast && IsInexact(node->operands[0]->dtype);
  });
}

}  // namespace

absl::StatusOr<NumpyTensor*> MaskedElementwise(symbolic::TraceContext& trace, Op op,
                                               absl::Span<symbolic::Value* const> values,
                                               symbolic::TensorValue* where, NumpyTensor* out) {
  if (where->node->dtype != DType::kBool || out->node->rank() == 0 || out->is_native) {
    return symbolic::GraphBreak("argument where");
  }
  const Shape shape = ShapeOf(out);
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* mask,
                          SpreadTo(trace, where->node, ShapeOf(where), shape));
  std::vector<symbolic::Value*> guarded;
  for (symbolic::Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, value));
    if (IsComplex(operand.dtype)) return symbolic::GraphBreak("argument where of complex operands");
    guarded.push_back(value);
    if (!operand.is_array()) continue;
    DYNACC_ASSIGN_OR_RETURN(guarded.back(), Guarded(trace, operand, mask, out));
  }
  DYNACC_ASSIGN_OR_RETURN(const NumpyTensor* result, Elementwise(trace, op, guarded));
  if (CastsFloats(result->node))
    return symbolic::GraphBreak("argument where beside floats of two dtypes");
  const DType dtype = out->node->dtype;
  if (!PyArray_CanCastTypeTo(Descr(result->node->dtype), Descr(dtype), NPY_SAME_KIND_CASTING)) {
    return symbolic::RaisingBreak("in-place update with a result of another kind");
  }
  if (MayWarnOfReading(dtype, result->node->dtype)) {
    return symbolic::GraphBreak("argument where beside an out of a wider dtype");
  }
  DYNACC_ASSIGN_OR_RETURN(
      const ir::Node* computed,
      SpreadTo(trace, trace.graph().Cast(dtype, result->node), ShapeOf(result), shape));
  const COrder order =
      Combine(out->c_order, where->node->rank() > 0 ? AsNumpy(where)->c_order : out->c_order);
  return NewTensor(trace, trace.graph().Where(mask, computed, out->node), shape,
                   Combine(order, result->c_order));
}

}  // namespace dynacc::numpy
