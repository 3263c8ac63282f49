#include "frontend/arrays/numpy/matmul.h"

#include "frontend/arrays/numpy/elementwise.h"
#include "frontend/arrays/numpy/function_table.h"
#include "runtime/base/status_macros.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc {
namespace {

// The batch axes of an operand: all but its matrix.
Shape BatchOf(const Shape& shape) {
  Shape batch;
  for (int i = 0; i + 2 < shape.rank(); ++i) batch.push_back(shape.at(i));
  return batch;
}

}  // namespace

absl::StatusOr<NumpyTensor*> NumpyMatmul(TraceContext& trace, Value* a, Value* b) {
  auto* left = As<TensorValue>(a);
  auto* right = As<TensorValue>(b);
  if (left == nullptr || right == nullptr || left->node->rank() == 0 ||
      right->node->rank() == 0) {
    return GraphBreak("matmul of a scalar");
  }
  const DType dtype = left->node->dtype;
  if (dtype != right->node->dtype || !IsFloat(dtype) ||
      !FindLibraryLoop(static_cast<int>(Op::kMatmul), dtype)) {
    return GraphBreak("matmul of other dtypes than one float dtype");
  }
  const Shape left_shape = ShapeOf(left);
  const Shape right_shape = ShapeOf(right);
  const int inner = right_shape.rank() == 1 ? 0 : right_shape.rank() - 2;
  if (!IsEqual(trace, left_shape.at(left_shape.rank() - 1), right_shape.at(inner))) {
    return GraphBreak("shapes that do not fit a matrix product");
  }
  DYNACC_ASSIGN_OR_RETURN(
      Shape shape, BroadcastShapes(trace, {BatchOf(left_shape), BatchOf(right_shape)}));
  if (left_shape.rank() > 1) shape.push_back(left_shape.at(left_shape.rank() - 2));
  if (right_shape.rank() > 1) shape.push_back(right_shape.at(right_shape.rank() - 1));
  const Node* node = trace.graph().Matmul(left->node, right->node, shape.ids);
  return NewTensor(trace, node, shape, COrder(std::in_place));
}

absl::StatusOr<Value*> TraceMatmul(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(Value * a, args.Required("x1"));
  DYNACC_ASSIGN_OR_RETURN(Value * b, args.Required("x2"));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, NumpyMatmul(trace, a, b));
  return result;
}

}  // namespace dynacc
