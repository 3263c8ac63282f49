// Rules of structural ops (gradient_rules.h): where elements go, their cotangents come from.
#include "boost/container/small_vector.hpp"
#include "codegen/autodiff/gradient_rules.h"
#include "codegen/autodiff/view_adjoint.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/view_algebra.h"
#include "runtime/base/status_macros.h"

namespace dynacc::autodiff {

using absl::OkStatus;

absl::Status ViewGradient(Pullback& pull) {
  const passes::ViewMap map = passes::MapOf(pull.node);
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* const part, ViewAdjoint(pull.graph, pull.cotangent, map,
                                                                  pull.node.operands[0]->shape));
  pull.Give(0, part);
  return OkStatus();
}

absl::Status ReshapeGradient(Pullback& pull) {
  pull.Give(0, pull.graph.Reshape(pull.cotangent, pull.node.operands[0]->shape));
  return OkStatus();
}

absl::Status StoreGradient(Pullback& pull) {
  const passes::ViewMap map = passes::MapOf(pull.node);
  const ir::Node& value = *pull.node.operands[1];
  const ir::Node& base = *OperandRead(pull.node, 0);
  if (pull.IsActive(base)) {
    const ir::Node* const nothing = Zeros(pull.graph, value.dtype, value.shape);
    const ir::Node* const rest =
        pull.graph.Store(pull.cotangent, nothing, map.axis, map.start, map.step);
    pull.GiveTo(base, Value(pull.graph, rest));
  }
  if (pull.Needs(1)) pull.Give(1, passes::MakeView(pull.graph, pull.cotangent, map));
  return OkStatus();
}

absl::Status RollGradient(Pullback& pull) {
  ScalarProgram& scalars = pull.graph.scalars();
  ir::ShapeVector back;
  for (size_t d = 0; d < pull.node.shape.size(); ++d) {
    // (n - s) mod n, where n may be 0.
    const ScalarId size = pull.node.shape[d];
    const ScalarId rest = scalars.Apply(ScalarOp::kSub, size, pull.node.attrs.scalars[d]);
    const ScalarId divisor = scalars.Apply(ScalarOp::kMax, size, scalars.Int(1));
    back.push_back(pull.node.attrs.scalars[d] == scalars.Int(0)
                       ? scalars.Int(0)
                       : scalars.Apply(ScalarOp::kMod, rest, divisor));
  }
  pull.Give(0, pull.graph.Roll(pull.cotangent, back));
  return OkStatus();
}

absl::Status ConcatGradient(Pullback& pull) {
  ScalarProgram& scalars = pull.graph.scalars();
  const size_t along = pull.node.attrs.ints[0];
  const size_t rank = pull.node.shape.size();
  boost::container::small_vector<int64_t, 8> axis;
  for (size_t d = 0; d < rank; ++d) axis.push_back(static_cast<int64_t>(d));
  ir::ShapeVector start(rank, scalars.Int(0));
  const ir::ShapeVector step(rank, scalars.Int(1));
  for (size_t i = 0; i < pull.node.operands.size(); ++i) {
    const ir::Node& part = *pull.node.operands[i];
    if (pull.Needs(i)) {
      pull.Give(i, passes::MakeView(pull.graph, pull.cotangent, {part.shape, axis, start, step}));
    }
    start[along] = scalars.Apply(ScalarOp::kAdd, start[along], part.shape[along]);
  }
  return OkStatus();
}

absl::Status CastGradient(Pullback& pull) {
  Value g(pull.graph, pull.cotangent);
  const DType from = pull.node.operands[0]->dtype;
  // The cast drops an imaginary part of 0, whatever its cotangent is.
  if (IsComplex(g.dtype()) && !IsComplex(from)) g = g.Apply(Op::kReal);
  pull.Give(0, g.To(from));
  return OkStatus();
}

absl::Status KeepOrderGradient(Pullback& pull) {
  pull.Give(0, pull.cotangent);
  return OkStatus();
}
absl::Status COrderGradient(Pullback& pull) { return KeepOrderGradient(pull); }
absl::Status UpdateGradient(Pullback& pull) { return KeepOrderGradient(pull); }

absl::Status WhereGradient(Pullback& pull) {
  const Value g(pull.graph, pull.cotangent);
  const Value condition = pull.operand(0);
  // Masked here, before it meets derivatives of the side that was not taken.
  if (pull.Needs(1)) pull.Give(1, Select(condition, g, 0.0));
  if (pull.Needs(2)) pull.Give(2, Select(condition, 0.0, g));
  return OkStatus();
}

namespace {

// Whether the value is computed of an active node otherwise than through the operands that have
// gradients.
bool DependsOnOthers(const Pullback& pull, absl::Span<const ir::Node* const> nodes) {
  std::vector<bool> stops(nodes.size()), reached(nodes.size());
  for (size_t i = 2; i < pull.node.operands.size(); i += 2) stops[pull.node.operands[i]->id] = true;
  reached[pull.node.operands[0]->id] = true;
  for (auto id = static_cast<size_t>(pull.node.operands[0]->id) + 1; id-- > 0;) {
    if (!reached[id] || stops[id]) continue;
    const ir::Node& node = *nodes[id];
    if (node.op == Op::kInput && pull.IsActive(node)) return true;
    if (!IsInexact(node.dtype) || GradientOf(node.op).kind == GradientKind::kZero) continue;
    for (const ir::Node* operand : node.operands) reached[operand->id] = true;
  }
  return false;
}

}  // namespace

absl::Status CustomGradientGradient(Pullback& pull) {
  const absl::Span<const ir::Node* const> operands = pull.node.operands;
  const std::vector<const ir::Node*> nodes(pull.graph.nodes().begin(),
                                           pull.graph.nodes().begin() + pull.node.id);
  if (DependsOnOthers(pull, nodes)) {
    return absl::UnimplementedError(
        "the function of dynacc.custom_gradient uses a differentiated array that is none of its "
        "arguments; make it one");
  }
  // What the gradients are computed of the cotangent that was stood for, computed of this one.
  std::vector<const ir::Node*> made(nodes.size());
  made[operands[1]->id] = pull.cotangent;
  boost::container::small_vector<const ir::Node*, 4> parts;
  for (size_t id = operands[1]->id + 1; id < nodes.size(); ++id) {
    const ir::Node& node = *nodes[id];
    parts.assign(node.operands.begin(), node.operands.end());
    bool differs = false;
    // A value whose gradient computes that value again has one more cotangent, which is this node,
    // too. What stands for it, and the gradients by it, are the inner value's own.
    const bool is_inner = node.op == Op::kCustomGradient && node.operands[1] == operands[1];
    for (size_t i = 0; i < parts.size(); ++i) {
      const ir::Node* const part = made[parts[i]->id];
      if (part == nullptr || (is_inner && i % 2 == 1)) continue;
      parts[i] = part;
      differs = true;
    }
    if (!differs) continue;
    made[id] = pull.graph.Make(node.op, node.dtype, node.shape, parts, node.attrs);
  }
  for (size_t i = 2; i < operands.size(); i += 2) {
    const ir::Node* const gradient = operands[i + 1];
    pull.Give(i, made[gradient->id] != nullptr ? made[gradient->id] : gradient);
  }
  return OkStatus();
}

}  // namespace dynacc::autodiff
