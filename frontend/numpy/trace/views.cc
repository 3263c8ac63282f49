#include "frontend/numpy/trace/views.h"

#include <algorithm>

#include "frontend/numpy/trace/strides.h"

namespace dynacc {

NumpyTensor* NewViewTensor(TraceContext& trace, NumpyTensor* base, const Node* node,
                           const Shape& shape, const COrder& c_order) {
  auto* view = trace.New<NumpyTensor>(node, /*is_scalar=*/false, shape.hints);
  view->view_of = base;
  view->c_order = c_order;
  view->read_only = base->read_only;
  base->root()->views.push_back(view);
  return view;
}

NumpyTensor* TransposedView(TraceContext& trace, NumpyTensor* base,
                            absl::Span<const int64_t> permutation) {
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(SizeOf(base, static_cast<int>(axis)));
  const bool is_identity = std::is_sorted(permutation.begin(), permutation.end());
  return NewViewTensor(trace, base, trace.graph().Transpose(base->node, permutation), shape,
                       is_identity ? base->c_order : std::nullopt);
}

NumpyTensor* AxesView(TraceContext& trace, NumpyTensor* base, absl::Span<const int64_t> axes) {
  ScalarProgram& scalars = trace.graph().scalars();
  Shape shape;
  std::vector<ScalarId> steps;
  for (int64_t axis : axes) {
    shape.push_back(axis < 0 ? ConstantSize(trace, 1) : SizeOf(base, static_cast<int>(axis)));
    steps.push_back(scalars.Int(axis < 0 ? 0 : 1));
  }
  const std::vector<ScalarId> starts(base->node->rank(), scalars.Int(0));
  const Node* node = trace.graph().View(base->node, shape.ids, axes, starts, steps);
  return NewViewTensor(trace, base, node, shape, base->c_order);
}

absl::StatusOr<NumpyTensor*> ReshapedView(TraceContext& trace, NumpyTensor* base,
                                          const Shape& shape) {
  const bool in_c_order = RequireCOrder(trace, base);
  if (!in_c_order && !SurelyViews(trace, base, shape)) {
    return GraphBreak("reshape of an array that is not known to be contiguous");
  }
  const bool is_dense = in_c_order || IsSurelyDense(trace, base);
  // Not Graph::Reshape, which gives the operand itself for an equal shape: a view needs a node.
  const Node* node =
      trace.graph().Make(Op::kReshape, base->node->dtype, shape.ids, {&base->node, 1}, {});
  return NewViewTensor(trace, base, node, shape, is_dense ? COrder(std::in_place) : std::nullopt);
}

absl::Status RequireArray(const TensorValue* tensor) {
  return tensor->is_scalar ? GraphBreak("an array method of a NumPy scalar") : absl::OkStatus();
}

}  // namespace dynacc
