#include "codegen/autodiff/view_adjoint.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "boost/container/small_vector.hpp"
#include "codegen/ir/node_rules.h"
#include "runtime/base/status_macros.h"

namespace dynacc::autodiff {
namespace {

using AxisVector = boost::container::small_vector<int64_t, 8>;

std::optional<int64_t> Constant(const ir::Graph& graph, ScalarId id) {
  int64_t value;
  if (!graph.scalars().IsIntConst(id, &value)) return std::nullopt;
  return value;
}

// `a` without those axes, of which each has size 1.
const ir::Node* DropAxes(ir::Graph& graph, const ir::Node* a, absl::Span<const int64_t> axes) {
  ScalarProgram& scalars = graph.scalars();
  ir::ShapeVector shape;
  AxisVector axis;
  for (int64_t d = 0; d < a->rank(); ++d) {
    if (absl::c_linear_search(axes, d)) continue;
    shape.push_back(a->shape[d]);
    axis.push_back(d);
  }
  const ir::ShapeVector start(a->shape.size(), scalars.Int(0));
  const ir::ShapeVector step(shape.size(), scalars.Int(1));
  return passes::MakeView(graph, a, {shape, axis, start, step});
}

// A map that is being taken apart, with the array of its output's shape that goes back through it.
struct Adjoint {
  ir::Graph& graph;
  const ir::Node* value;
  absl::Span<const ScalarId> shape;  // of the operand
  AxisVector axis;
  ir::ShapeVector start;
  ir::ShapeVector step;

  ScalarProgram& scalars() { return graph.scalars(); }
  ScalarId Int(int64_t value) { return graph.scalars().Int(value); }

  void SumBroadcastAxes();
  void Flip(size_t d);
  absl::Status MergeWindows(size_t into, size_t windows);
  bool ShowsEverything() const;
  const ir::Node* ViewBack();
};

void Adjoint::SumBroadcastAxes() {
  AxisVector repeated, kept_axis;
  ir::ShapeVector kept_step;
  for (size_t d = 0; d < axis.size(); ++d) {
    if (axis[d] < 0 || Constant(graph, step[d]) == 0) {
      repeated.push_back(static_cast<int64_t>(d));
    } else {
      kept_axis.push_back(axis[d]);
      kept_step.push_back(step[d]);
    }
  }
  value = SumAway(graph, value, repeated);
  axis = kept_axis;
  step = kept_step;
}

// Counts output axis `d` from its other end. If it is empty, so is all; where it then starts is of
// no matter.
void Adjoint::Flip(size_t d) {
  ir::ShapeVector shape_before(value->shape.begin(), value->shape.end());
  const ScalarId last = scalars().Apply(ScalarOp::kSub, shape_before[d], Int(1));
  AxisVector same;
  for (size_t i = 0; i < axis.size(); ++i) same.push_back(static_cast<int64_t>(i));
  ir::ShapeVector from(axis.size(), Int(0)), by(axis.size(), Int(1));
  from[d] = last;
  by[d] = Int(-1);
  value = passes::MakeView(graph, value, {shape_before, same, from, by});
  ScalarId& begin = start[axis[d]];
  begin = scalars().Apply(ScalarOp::kAdd, begin, scalars().Apply(ScalarOp::kMul, step[d], last));
  step[d] = scalars().Apply(ScalarOp::kNeg, step[d]);
}

// Adds the rows along output axis `windows`, each moved by that axis's step against the one before,
// so that the axis goes and `into` counts the operand's own elements.
absl::Status Adjoint::MergeWindows(size_t into, size_t windows) {
  const int64_t operand_axis = axis[into];
  // With steps forward alone, each place on the way to an element is one before it.
  for (size_t d = 0; d < axis.size(); ++d) {
    if (axis[d] != operand_axis) continue;
    const std::optional<int64_t> by = Constant(graph, step[d]);
    if (!by) {
      return absl::UnimplementedError(
          "it shows windows of an array by a step that differs from run to run");
    }
    if (*by < 0) Flip(d);
  }
  const ScalarId size = shape[operand_axis];
  const ScalarId rows = value->shape[windows];
  const ScalarId width = scalars().Apply(ScalarOp::kAdd, size, step[windows]);
  // The other axes, in their order, then the rows and what is in them.
  ir::ShapeVector padded, flat, cut, summed;
  AxisVector place(axis.size());
  AxisVector kept_axis;
  ir::ShapeVector kept_step;
  for (size_t d = 0; d < axis.size(); ++d) {
    if (d == into || d == windows) continue;
    place[d] = static_cast<int64_t>(padded.size());
    padded.push_back(value->shape[d]);
    kept_axis.push_back(axis[d]);
    kept_step.push_back(step[d]);
  }
  flat = cut = padded;
  place[windows] = static_cast<int64_t>(padded.size());
  place[into] = static_cast<int64_t>(padded.size()) + 1;
  padded.push_back(rows);
  padded.push_back(width);
  flat.push_back(scalars().Apply(ScalarOp::kMul, rows, width));
  cut.push_back(scalars().Apply(ScalarOp::kMul, rows, size));
  const auto last = static_cast<int64_t>(cut.size());

  ir::ShapeVector from(padded.size(), Int(0)), by(axis.size(), Int(1));
  from.back() = start[operand_axis];
  by[into] = step[into];
  const ir::Node* rows_of_zeros = Zeros(graph, value->dtype, padded);
  const ir::Node* moved = graph.Store(rows_of_zeros, value, place, from, by);
  moved = graph.Reshape(moved, flat);
  AxisVector same;
  for (size_t d = 0; d < cut.size(); ++d) same.push_back(static_cast<int64_t>(d));
  moved = passes::MakeView(
      graph, moved,
      {cut, same, ir::ShapeVector(cut.size(), Int(0)), ir::ShapeVector(cut.size(), Int(1))});
  ir::ShapeVector skewed(cut.begin(), cut.end() - 1);
  skewed.push_back(rows);
  skewed.push_back(size);
  const int64_t along_rows[] = {last - 1};
  value = SumAway(graph, graph.Reshape(moved, skewed), along_rows);
  kept_axis.push_back(operand_axis);
  kept_step.push_back(Int(1));
  axis = kept_axis;
  step = kept_step;
  start[operand_axis] = Int(0);
  return absl::OkStatus();
}

// Whether each operand axis is shown whole, in one order or the other, or has size 1.
bool Adjoint::ShowsEverything() const {
  for (size_t s = 0; s < shape.size(); ++s) {
    const auto used = absl::c_find(axis, static_cast<int64_t>(s));
    if (used == axis.end()) {
      if (Constant(graph, shape[s]) != 1) return false;
      continue;
    }
    // In bounds, as many as there are, and each another one: all of them.
    if (value->shape[used - axis.begin()] != shape[s]) return false;
    const std::optional<int64_t> by = Constant(graph, step[used - axis.begin()]);
    if (by != 1 && by != -1) return false;
  }
  return true;
}

const ir::Node* Adjoint::ViewBack() {
  for (size_t d = 0; d < axis.size(); ++d) {
    if (Constant(graph, step[d]) == -1) Flip(d);
  }
  AxisVector back;
  for (size_t s = 0; s < shape.size(); ++s) {
    const auto used = absl::c_find(axis, static_cast<int64_t>(s));
    back.push_back(used == axis.end() ? -1 : used - axis.begin());
  }
  const ir::ShapeVector from(value->shape.size(), Int(0));
  ir::ShapeVector by(shape.size(), Int(1));
  for (size_t s = 0; s < shape.size(); ++s) by[s] = Int(back[s] < 0 ? 0 : 1);
  return passes::MakeView(graph, value, {shape, back, from, by});
}

// Whether the node is something stored in zeros.
bool IsPartOfZeros(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != Op::kStore || node.operands[0]->op != Op::kFull) return false;
  const ScalarExpr& number = graph.scalars().expr(node.operands[0]->attrs.scalars[0]);
  if (number.op != ScalarOp::kConst) return false;
  return number.type == ScalarType::kFloat ? number.value.f == 0.0 : number.value.i == 0;
}

}  // namespace

const ir::Node* AddCotangents(ir::Graph& graph, const ir::Node* a, const ir::Node* b) {
  const bool is_second = IsPartOfZeros(graph, *b);
  if (!is_second && !IsPartOfZeros(graph, *a)) return graph.Binary(Op::kAdd, a, b);
  if (!is_second) std::swap(a, b);
  const ir::Node* const part = b->operands[1];
  const ir::Node* const there = passes::MakeView(graph, a, passes::MapOf(*b));
  return passes::MakeStore(graph, a, graph.Binary(Op::kAdd, there, part), passes::MapOf(*b));
}

const ir::Node* Zeros(ir::Graph& graph, DType dtype, absl::Span<const ScalarId> shape) {
  return graph.Full(dtype, graph.scalars().Float(0.0), shape);
}

const ir::Node* SumAway(ir::Graph& graph, const ir::Node* a, absl::Span<const int64_t> axes) {
  AxisVector summed, single;
  for (const int64_t d : axes) {
    (Constant(graph, a->shape[d]) == 1 ? single : summed).push_back(d);
  }
  if (!single.empty()) {
    a = DropAxes(graph, a, single);
    for (int64_t& d : summed) d -= absl::c_count_if(single, [&](int64_t s) { return s < d; });
  }
  return summed.empty() ? a : graph.Reduce(Op::kReduceSum, a, summed, false);
}

const ir::Node* SumTo(ir::Graph& graph, const ir::Node* a, absl::Span<const ScalarId> shape) {
  const int64_t added = a->rank() - static_cast<int64_t>(shape.size());
  AxisVector axes;
  for (int64_t d = 0; d < a->rank(); ++d) {
    const bool is_one = d >= added && Constant(graph, shape[d - added]) == 1;
    if (d < added || (is_one && Constant(graph, a->shape[d]) != 1)) axes.push_back(d);
  }
  return graph.Reshape(SumAway(graph, a, axes), shape);
}

absl::StatusOr<const ir::Node*> ViewAdjoint(ir::Graph& graph, const ir::Node* cotangent,
                                            const passes::ViewMap& map,
                                            absl::Span<const ScalarId> shape) {
  Adjoint adjoint{.graph = graph,
                  .value = cotangent,
                  .shape = shape,
                  .axis = {map.axis.begin(), map.axis.end()},
                  .start = {map.start.begin(), map.start.end()},
                  .step = {map.step.begin(), map.step.end()}};
  adjoint.SumBroadcastAxes();
  for (int64_t s = 0; s < static_cast<int64_t>(shape.size()); ++s) {
    while (absl::c_count(adjoint.axis, s) > 1) {
      const auto first = absl::c_find(adjoint.axis, s);
      const auto second = std::find(first + 1, adjoint.axis.end(), s);
      DYNACC_RETURN_IF_ERROR(
          adjoint.MergeWindows(first - adjoint.axis.begin(), second - adjoint.axis.begin()));
    }
  }
  if (adjoint.ShowsEverything()) return adjoint.ViewBack();
  return graph.Store(Zeros(graph, cotangent->dtype, shape), adjoint.value, adjoint.axis,
                     adjoint.start, adjoint.step);
}

}  // namespace dynacc::autodiff
