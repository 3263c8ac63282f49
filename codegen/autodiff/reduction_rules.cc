// Rules of reductions (gradient_rules.h).
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "boost/container/small_vector.hpp"
#include "codegen/autodiff/gradient_rules.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::autodiff {
namespace {

using absl::OkStatus;
using AxisVector = boost::container::small_vector<int64_t, 8>;

// What has the reduction's shape, repeated along the axes that it reduced.
Value Repeat(const ir::Node& reduction, Value result) {
  ScalarProgram& scalars = result.graph().scalars();
  const absl::Span<const ScalarId> shape = reduction.operands[0]->shape;
  AxisVector axis;
  ir::ShapeVector step;
  int64_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    const bool reduced = absl::c_binary_search(reduction.attrs.ints, d);
    axis.push_back(reduced ? -1 : next);
    step.push_back(scalars.Int(reduced ? 0 : 1));
    if (!reduced || reduction.attrs.keepdims) ++next;
  }
  const ir::ShapeVector start(result.node()->shape.size(), scalars.Int(0));
  return {result.graph(),
          passes::MakeView(result.graph(), result.node(), {shape, axis, start, step})};
}

absl::Status ShareAmongExtremes(Pullback& pull) {
  const Value x = pull.operand(0);
  const Value y(pull.graph, &pull.node);
  const Value is_extreme = Or(Equal(x, Repeat(pull.node, y)), x.Apply(Op::kIsNan));
  const ir::Node* const count =
      pull.graph.Reduce(Op::kReduceSum, is_extreme.To(DType::kInt64).node(), pull.node.attrs.ints,
                        pull.node.attrs.keepdims);
  const Value share =
      Value(pull.graph, pull.cotangent) / Value(pull.graph, count).To(pull.node.dtype);
  pull.Give(0, Select(is_extreme, Repeat(pull.node, share), 0.0));
  return OkStatus();
}

// The elements `amount` before (with `forward`) or behind each one along the axis; `fill` where
// there is none.
Value Shift(Value x, int64_t axis, ScalarId amount, bool forward, double fill) {
  ir::Graph& graph = x.graph();
  ScalarProgram& scalars = graph.scalars();
  const size_t rank = x.node()->shape.size();
  ir::ShapeVector shape(x.node()->shape.begin(), x.node()->shape.end());
  const ScalarId moved = scalars.Apply(ScalarOp::kMin, amount, shape[axis]);
  shape[axis] = scalars.Apply(ScalarOp::kSub, shape[axis], moved);
  AxisVector same;
  for (size_t d = 0; d < rank; ++d) same.push_back(static_cast<int64_t>(d));
  const ir::ShapeVector step(rank, scalars.Int(1));
  ir::ShapeVector from(rank, scalars.Int(0)), to = from;
  (forward ? to : from)[axis] = moved;
  const ir::Node* const part = passes::MakeView(graph, x.node(), {shape, same, from, step});
  const ir::Node* const rest = graph.Full(x.dtype(), scalars.Float(fill), x.node()->shape);
  return {graph, graph.Store(rest, part, same, to, step)};
}

// The elements along the axis in the other order.
Value Flip(Value x, int64_t axis) {
  ir::Graph& graph = x.graph();
  ScalarProgram& scalars = graph.scalars();
  const absl::Span<const ScalarId> shape = x.node()->shape;
  AxisVector same;
  for (size_t d = 0; d < shape.size(); ++d) same.push_back(static_cast<int64_t>(d));
  ir::ShapeVector from(shape.size(), scalars.Int(0)), step(shape.size(), scalars.Int(1));
  from[axis] = scalars.Apply(ScalarOp::kSub, shape[axis], scalars.Int(1));
  step[axis] = scalars.Int(-1);
  return {graph, passes::MakeView(graph, x.node(), {shape, same, from, step})};
}

// The product of all elements before (with `forward`) or behind each one along the axis.
Value ProductOfOthers(Value x, int64_t axis, bool forward) {
  const Value along = forward ? x : Flip(x, axis);
  const Value products(x.graph(), x.graph().Scan(Op::kCumprod, along.node(), axis));
  const Value others = Shift(products, axis, x.graph().scalars().Int(1), true, 1.0);
  return forward ? others : Flip(others, axis);
}

}  // namespace

absl::Status ReduceSumGradient(Pullback& pull) {
  pull.Give(0, Repeat(pull.node, Value(pull.graph, pull.cotangent)));
  return OkStatus();
}

absl::Status ReduceMaxGradient(Pullback& pull) { return ShareAmongExtremes(pull); }
absl::Status ReduceMinGradient(Pullback& pull) { return ShareAmongExtremes(pull); }

// Along several axes the product is one of products along each, the last axis first.
absl::Status ReduceProdGradient(Pullback& pull) {
  const absl::Span<const int64_t> axes = pull.node.attrs.ints;
  std::vector<Value> partial = {pull.operand(0)};
  for (size_t i = axes.size(); i-- > 1;) {
    const int64_t along[] = {axes[i]};
    const ir::Node* const product =
        pull.graph.Reduce(Op::kReduceProd, partial.back().node(), along, true);
    partial.emplace_back(pull.graph, product);
  }
  // The cotangent, with the axes that went, belongs to the last of them from here on.
  Value g = Repeat(pull.node, Value(pull.graph, pull.cotangent));
  if (axes.empty()) {
    pull.Give(0, g);
    return OkStatus();
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const Value x = partial[axes.size() - 1 - i];
    const Value others = ProductOfOthers(x, axes[i], true) * ProductOfOthers(x, axes[i], false);
    const Value repeated(pull.graph,
                         pull.graph.BroadcastTo(others.node(), pull.node.operands[0]->shape));
    g = g * repeated;
  }
  pull.Give(0, g);
  return OkStatus();
}

absl::Status MeanGradient(Pullback& pull) {
  ScalarProgram& scalars = pull.graph.scalars();
  const ir::Node& x = *pull.node.operands[0];
  ScalarId count = scalars.Int(1);
  for (const int64_t axis : pull.node.attrs.ints) {
    count = scalars.Apply(ScalarOp::kMul, count, x.shape[axis]);
  }
  const ir::Node* const divisor = pull.graph.Scalar(pull.node.dtype, count);
  const Value share = Value(pull.graph, pull.cotangent) /
                      Value(pull.graph, pull.graph.BroadcastTo(divisor, pull.node.shape));
  pull.Give(0, Repeat(pull.node, share));
  return OkStatus();
}

absl::Status CumsumGradient(Pullback& pull) {
  const int64_t axis = pull.node.attrs.ints[0];
  const Value back = Flip(Value(pull.graph, pull.cotangent), axis);
  const Value sums(pull.graph, pull.graph.Scan(Op::kCumsum, back.node(), axis));
  pull.Give(0, Flip(sums, axis));
  return OkStatus();
}

// Element k gets the product of those before it, times s[k] = g[k] + x[k + 1] * s[k + 1]. That
// recurrence is one of affine maps, which compose: Hillis and Steele's scan (CACM 29:12, 1986). In
// round r each element has the composition of 2 ** r maps.
absl::Status CumprodGradient(Pullback& pull) {
  constexpr int kMostRounds = 40;  // no memory holds an axis that needs more
  ScalarProgram& scalars = pull.graph.scalars();
  const int64_t axis = pull.node.attrs.ints[0];
  const Value x = pull.operand(0);
  int64_t size;
  const bool is_known = scalars.IsIntConst(x.node()->shape[axis], &size);
  Value factor = Shift(x, axis, scalars.Int(1), false, 1.0);
  Value sum(pull.graph, pull.cotangent);
  for (int round = 0; round < kMostRounds; ++round) {
    const int64_t amount = int64_t{1} << round;
    if (is_known && amount >= size) break;
    const ScalarId by = scalars.Int(amount);
    sum = sum + factor * Shift(sum, axis, by, false, 0.0);
    factor = factor * Shift(factor, axis, by, false, 1.0);
  }
  const Value before(pull.graph, pull.graph.Scan(Op::kCumprod, x.node(), axis));
  pull.Give(0, sum * Shift(before, axis, scalars.Int(1), true, 1.0));
  return OkStatus();
}

}  // namespace dynacc::autodiff
