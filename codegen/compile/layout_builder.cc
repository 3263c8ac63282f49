#include "codegen/compile/layout_builder.h"

#include <algorithm>

#include "absl/types/span.h"

namespace dynacc {
namespace {

struct RuleRow {
  Op op;
  LayoutRule rule;
};
// The ops that are no ufuncs.
constexpr RuleRow kRules[] = {
    {Op::kInput, LayoutRule::kInput},         {Op::kScalar, LayoutRule::kNumber},
    {Op::kFull, LayoutRule::kCOrder},         {Op::kView, LayoutRule::kView},
    {Op::kReshape, LayoutRule::kReshape},     {Op::kCast, LayoutRule::kConverted},
    {Op::kKeepOrder, LayoutRule::kKeepOrder}, {Op::kCOrder, LayoutRule::kCOrder},
    {Op::kUpdate, LayoutRule::kUpdate},       {Op::kWhere, LayoutRule::kIterator},
    {Op::kMatmul, LayoutRule::kMatmul},       {Op::kLibraryCall, LayoutRule::kCOrder},
    {Op::kStore, LayoutRule::kUpdate},        {Op::kEmpty, LayoutRule::kCOrder},
    {Op::kRoll, LayoutRule::kKeepOrder},      {Op::kConcat, LayoutRule::kConcat},
    {Op::kReal, LayoutRule::kPart},           {Op::kImag, LayoutRule::kPart},
};

// Whether an Update's elements lie as one ufunc of its other operands would lay them out.
bool IsLikeUfunc(const Node* node) { return node->op == Op::kUpdate && node->operands.size() > 2; }

LayoutRule RuleOf(const Node* node) {
  if (IsLikeUfunc(node)) return LayoutRule::kUfunc;
  const Op op = node->op;
  for (const RuleRow& row : kRules) {
    if (row.op == op) return row.rule;
  }
  if (Info(op).category == OpCategory::kReduction) return LayoutRule::kReduce;
  return IsElementwise(op) ? LayoutRule::kUfunc : LayoutRule::kCOrder;
}

// Whether the rule looks at no operand: what these read needs no steps then.
bool IgnoresOperands(LayoutRule rule) { return rule == LayoutRule::kCOrder; }

}  // namespace

ShapePlan PlanShape(absl::Span<const ScalarId> shape) {
  ShapePlan plan;
  plan.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), plan.sizes);
  return plan;
}

ViewPlan PlanView(const Node* node, absl::Span<const ScalarId> shape) {
  ViewPlan plan;
  plan.shape = PlanShape(shape);
  plan.operand_rank = node->operands[0]->rank();
  const auto scalars = node->attrs.scalars;
  std::copy(node->attrs.ints.begin(), node->attrs.ints.end(), plan.axis);
  std::copy_n(scalars.begin(), plan.operand_rank, plan.start);
  std::copy_n(scalars.begin() + plan.operand_rank, plan.shape.rank, plan.step);
  return plan;
}

int LayoutBuilder::StepOf(const Node* node) {
  if (step_of_[node->id] >= 0) return step_of_[node->id];
  LayoutStep step;
  step.rule = RuleOf(node);
  step.dtype = node->dtype;
  step.shape = PlanShape(node->shape);
  if (step.rule == LayoutRule::kInput) step.index = static_cast<int>(node->attrs.ints[0]);
  if (step.rule == LayoutRule::kView) step.view = PlanView(node, node->shape);
  if (step.rule == LayoutRule::kReduce) {
    for (const int64_t axis : node->attrs.ints) step.reduced_axes |= 1u << axis;
    step.keepdims = node->attrs.keepdims;
  }
  if (!IgnoresOperands(step.rule)) {
    const auto operands = node->operands.subspan(IsLikeUfunc(node) ? 1 : 0);
    for (const Node* operand : operands) step.operands.push_back(StepOf(operand));
  }
  // A Store's base comes first, an Update's last; both are what the result lies in.
  if (node->op == Op::kStore) std::reverse(step.operands.begin(), step.operands.end());
  steps_.push_back(std::move(step));
  return step_of_[node->id] = static_cast<int>(steps_.size()) - 1;
}

int LayoutBuilder::StepOfOrigin(const Node* node) {
  const Node* origin = traced_.nodes()[node->origin];
  return equal_sizes_.AreEqual(origin->shape, node->shape) ? StepOf(origin) : -1;
}

int LayoutBuilder::StepOfSource(const Node* node) {
  const Node* origin = traced_.nodes()[node->origin];
  const bool fits =
      origin->op == node->op && origin->operands[0]->rank() == node->operands[0]->rank();
  return fits ? StepOf(origin->operands[0]) : -1;
}

}  // namespace dynacc
