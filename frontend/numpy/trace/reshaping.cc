// reshape, ravel, flatten.
#include <algorithm>
#include <numeric>

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/strides.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// The axis of size -1 of a shape argument; -1 if there is none. GraphBreak for two of them, and for
// other negative sizes.
absl::StatusOr<int> FreeAxis(symbolic::TraceContext& trace, const Shape& shape) {
  int found = -1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!IsLess(trace, shape.at(axis), ConstantSize(trace, 0))) continue;
    const bool is_free = IsEqual(trace, shape.at(axis), ConstantSize(trace, -1));
    if (!is_free || found >= 0) return symbolic::GraphBreak("a shape with negative sizes");
    found = axis;
  }
  return found;
}

// Puts the size that follows from the others at `axis`.
absl::Status FillFreeAxis(symbolic::TraceContext& trace, Size total, int axis, Shape* shape) {
  const Size zero = ConstantSize(trace, 0);
  Shape others = *shape;
  others.ids[axis] = trace.graph().scalars().Int(1);
  others.hints[axis] = 1;
  const Size known = ProductOf(trace, others, 0, others.rank());
  if (IsEqual(trace, known, zero)) return symbolic::GraphBreak("a shape with sizes of 0 and -1");
  const Size free = Apply(trace, ScalarOp::kFloorDiv, total, known);
  shape->ids[axis] = free.id;
  shape->hints[axis] = free.hint;
  return absl::OkStatus();
}

// The array seen as it is.
NumpyTensor* WholeView(symbolic::TraceContext& trace, NumpyTensor* a) {
  std::vector<int64_t> axes(a->node->rank());
  std::iota(axes.begin(), axes.end(), 0);
  return AxesView(trace, a, axes);
}

// The array with its axes the other way round.
NumpyTensor* Reversed(symbolic::TraceContext& trace, NumpyTensor* a) {
  std::vector<int64_t> axes(a->node->rank());
  std::iota(axes.rbegin(), axes.rend(), 0);
  return TransposedView(trace, a, axes);
}

// How the array lies that a reshape is a view of where NumPy has to copy: as is, or with its axes
// the other way round.
enum class Order { kC, kReversed };

// A copy in C order, for kReversed a view of one that lies so.
NumpyTensor* CopyFor(symbolic::TraceContext& trace, NumpyTensor* a, Order order) {
  ir::Graph& graph = trace.graph();
  auto* const copy =
      NewTensor(trace, graph.Copied(Op::kCOrder, a->node), ShapeOf(a), COrder(std::in_place));
  if (order == Order::kC) return copy;
  const ir::Node* const turned = graph.Copied(Op::kKeepOrder, Reversed(trace, copy)->node);
  const Shape shape = ShapeOf(Reversed(trace, copy));
  NumpyTensor* const seen = Reversed(trace, NewTensor(trace, turned, shape, std::nullopt));
  seen->c_order.emplace();
  return seen;
}

absl::StatusOr<NumpyTensor*> ReshapedAs(symbolic::TraceContext& trace, NumpyTensor* a, Shape shape,
                                        Order order) {
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  const Shape from = ShapeOf(a);
  const Size total = ProductOf(trace, from, 0, from.rank());
  DYNACC_ASSIGN_OR_RETURN(const int free, FreeAxis(trace, shape));
  // NumPy compares before it knows what -1 stands for: otherwise strides of axes that have no next
  // element are made anew.
  if (free < 0 && IsSameShape(trace, from, shape)) return WholeView(trace, a);
  if (free >= 0) DYNACC_RETURN_IF_ERROR(FillFreeAxis(trace, total, free, &shape));
  if (!IsEqual(trace, ProductOf(trace, shape, 0, shape.rank()), total)) {
    return symbolic::RaisingBreak("reshape to another number of elements");
  }
  if (RequireCOrder(trace, a)) return ReshapedView(trace, a, shape);
  if (SurelyCopies(trace, a, shape)) return ReshapedView(trace, CopyFor(trace, a, order), shape);
  // The stride of an axis of one element is that of the elements after it, in the order taken.
  if (order == Order::kReversed && HasAxisOfOne(trace, shape))
    return symbolic::GraphBreak("a view of an axis of one element");
  return ReshapedView(trace, a, shape);
}

// In Fortran's order a reshape is that of the transposed array, transposed.
absl::StatusOr<symbolic::Value*> ReshapedIn(symbolic::TraceContext& trace, const BoundArgs& args,
                                            symbolic::TensorValue* given, Shape shape) {
  if (args.RefuseUnlessText("order", "C").ok()) {
    return ReshapedArray(trace, AsNumpy(given), std::move(shape));
  }
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "F"));
  DYNACC_RETURN_IF_ERROR(RequireArray(given));
  std::reverse(shape.ids.begin(), shape.ids.end());
  std::reverse(shape.hints.begin(), shape.hints.end());
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * turned, ReshapedAs(trace, Reversed(trace, AsNumpy(given)),
                                                           std::move(shape), Order::kReversed));
  return Reversed(trace, turned);
}

// The shape of all elements in one axis.
Shape FlatShape(symbolic::TraceContext& trace, const NumpyTensor* a) {
  const Shape from = ShapeOf(a);
  Shape shape;
  shape.push_back(ProductOf(trace, from, 0, from.rank()));
  return shape;
}

// All elements side by side. A copy, as a reshape alone may leave them as far apart as they are.
NumpyTensor* FlatCopy(symbolic::TraceContext& trace, const NumpyTensor* a) {
  ir::Graph& graph = trace.graph();
  const Shape flat = FlatShape(trace, a);
  const ir::Node* const copy = graph.Copied(Op::kCOrder, a->node);
  return NewTensor(trace, graph.Reshape(copy, flat.ids), flat, COrder(std::in_place));
}

}  // namespace

absl::StatusOr<NumpyTensor*> ReshapedArray(symbolic::TraceContext& trace, NumpyTensor* a,
                                           Shape shape) {
  return ReshapedAs(trace, a, std::move(shape), Order::kC);
}

absl::StatusOr<symbolic::Value*> TraceReshape(symbolic::TraceContext& trace, const BoundArgs& args,
                                              Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * given, args.Required("newshape"));
  DYNACC_ASSIGN_OR_RETURN(Shape shape, ShapeFrom(trace, given));
  return ReshapedIn(trace, args, a, std::move(shape));
}

absl::StatusOr<symbolic::Value*> TraceReshapeMethod(symbolic::TraceContext& trace,
                                                    const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  if (args.rest().empty()) return symbolic::GraphBreak("reshape without a shape");
  DYNACC_ASSIGN_OR_RETURN(Shape shape, args.rest().size() == 1 ? ShapeFrom(trace, args.rest()[0])
                                                               : ShapeFrom(trace, args.rest()));
  return ReshapedIn(trace, args, a, std::move(shape));
}

absl::StatusOr<symbolic::Value*> TraceRavel(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * given, args.Tensor("a"));
  DYNACC_RETURN_IF_ERROR(RequireArray(given));
  NumpyTensor* a = AsNumpy(given);
  if (!args.RefuseUnlessText("order", "C").ok()) {
    // The other way round: the elements of the transposed array.
    DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "F"));
    a = Reversed(trace, a);
  }
  if (!RequireCOrder(trace, a) && IsSurelyScattered(trace, a)) return FlatCopy(trace, a);
  const Shape flat = FlatShape(trace, a);
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, ReshapedView(trace, a, flat));
  return view;
}

// Always a copy, in C order whatever the order of the array.
absl::StatusOr<symbolic::Value*> TraceFlatten(symbolic::TraceContext& trace, const BoundArgs& args,
                                              Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "C"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  return FlatCopy(trace, AsNumpy(a));
}

}  // namespace dynacc::numpy
