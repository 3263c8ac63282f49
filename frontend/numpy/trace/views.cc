#include "frontend/numpy/trace/views.h"

#include <algorithm>

#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/strides.h"

namespace dynacc::numpy {

NumpyTensor* NewViewTensor(symbolic::TraceContext& trace, NumpyTensor* base, const ir::Node* node,
                           const Shape& shape, const COrder& c_order) {
  auto* view = trace.New<NumpyTensor>(node, /*is_scalar=*/false, shape.hints);
  view->view_of = base;
  view->c_order = c_order;
  view->read_only = base->read_only;
  base->root()->views.push_back(view);
  return view;
}

NumpyTensor* TransposedView(symbolic::TraceContext& trace, NumpyTensor* base,
                            absl::Span<const int64_t> permutation) {
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(SizeOf(base, static_cast<int>(axis)));
  const bool is_identity = std::is_sorted(permutation.begin(), permutation.end());
  return NewViewTensor(trace, base, trace.graph().Transpose(base->node, permutation), shape,
                       is_identity ? base->c_order : std::nullopt);
}

NumpyTensor* AxesView(symbolic::TraceContext& trace, NumpyTensor* base,
                      absl::Span<const int64_t> axes) {
  ScalarProgram& scalars = trace.graph().scalars();
  Shape shape;
  std::vector<ScalarId> steps;
  for (int64_t axis : axes) {
    shape.push_back(axis < 0 ? ConstantSize(trace, 1) : SizeOf(base, static_cast<int>(axis)));
    steps.push_back(scalars.Int(axis < 0 ? 0 : 1));
  }
  const std::vector<ScalarId> starts(base->node->rank(), scalars.Int(0));
  const ir::Node* node = trace.graph().View(base->node, shape.ids, axes, starts, steps);
  return NewViewTensor(trace, base, node, shape, base->c_order);
}

absl::StatusOr<NumpyTensor*> ReshapedView(symbolic::TraceContext& trace, NumpyTensor* base,
                                          const Shape& shape) {
  const bool in_c_order = RequireCOrder(trace, base);
  if (!in_c_order && !SurelyViews(trace, base, shape)) {
    return symbolic::GraphBreak("reshape of an array that is not known to be contiguous");
  }
  const bool is_dense = in_c_order || IsSurelyDense(trace, base);
  // Not Graph::Reshape, which gives the operand itself for an equal shape: a view needs a node.
  const ir::Node* node =
      trace.graph().Make(Op::kReshape, base->node->dtype, shape.ids, {&base->node, 1}, {});
  return NewViewTensor(trace, base, node, shape, is_dense ? COrder(std::in_place) : std::nullopt);
}

NumpyTensor* ArrayOfScalar(symbolic::TraceContext& trace, NumpyTensor* scalar, int rank) {
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) shape.push_back(ConstantSize(trace, 1));
  ir::Graph& graph = trace.graph();
  const ir::Node* const node =
      graph.Copied(Op::kCOrder, graph.BroadcastTo(scalar->node, shape.ids));
  return NewTensor(trace, node, shape, COrder(std::in_place));
}

absl::Status RequireArray(const symbolic::TensorValue* tensor) {
  return tensor->is_scalar ? symbolic::GraphBreak("an array method of a NumPy scalar")
                           : absl::OkStatus();
}

}  // namespace dynacc::numpy
