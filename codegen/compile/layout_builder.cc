#include "codegen/compile/layout_builder.h"

#include <algorithm>
#include <optional>

#include "absl/types/span.h"
#include "runtime/executor/library_call_text.h"

namespace dynacc::compile {
namespace {

struct RuleRow {
  Op op;
  executor::LayoutRule rule;
};
// Where NumPy does not lay the result out as a ufunc does (elementwise ops) or in C order (others).
constexpr RuleRow kRules[] = {
    {Op::kInput, executor::LayoutRule::kInput},
    {Op::kScalar, executor::LayoutRule::kNumber},
    {Op::kView, executor::LayoutRule::kView},
    {Op::kReshape, executor::LayoutRule::kReshape},
    {Op::kCast, executor::LayoutRule::kConverted},
    {Op::kKeepOrder, executor::LayoutRule::kKeepOrder},
    {Op::kCOrder, executor::LayoutRule::kCOrder},
    {Op::kUpdate, executor::LayoutRule::kUpdate},
    {Op::kWhere, executor::LayoutRule::kIterator},
    {Op::kMatmul, executor::LayoutRule::kMatmul},
    {Op::kStore, executor::LayoutRule::kUpdate},
    {Op::kRoll, executor::LayoutRule::kKeepOrder},
    {Op::kConcat, executor::LayoutRule::kConcat},
    {Op::kCumsum, executor::LayoutRule::kUfunc},
    {Op::kCumprod, executor::LayoutRule::kUfunc},
    {Op::kReal, executor::LayoutRule::kPart},
    {Op::kImag, executor::LayoutRule::kPart},
};

// Whether an Update's elements lie as one ufunc of its other operands would lay them out.
bool IsLikeUfunc(const ir::Node* node) {
  return node->op == Op::kUpdate && node->operands.size() > 2;
}

// Whether the array library sorts a copy of the operand in its order.
bool SortsCopy(const ir::Node* node) {
  if (node->op != Op::kLibraryCall || node->operands.empty()) return false;
  const std::optional<cpu::OwnCall> call = executor::FindOwnCall(node->attrs.call);
  return call && (call->function == "sort" || call->function == "partition") &&
         node->operands[0]->rank() == node->rank();
}

executor::LayoutRule RuleOf(const ir::Node* node) {
  if (IsLikeUfunc(node)) return executor::LayoutRule::kUfunc;
  if (SortsCopy(node)) return executor::LayoutRule::kKeepOrder;
  const Op op = node->op;
  for (const RuleRow& row : kRules) {
    if (row.op == op) return row.rule;
  }
  if (Info(op).category == OpCategory::kReduction) return executor::LayoutRule::kReduce;
  return IsElementwise(op) ? executor::LayoutRule::kUfunc : executor::LayoutRule::kCOrder;
}

// Whether the rule looks at no operand: what these read needs no steps then.
bool IgnoresOperands(executor::LayoutRule rule) { return rule == executor::LayoutRule::kCOrder; }

}  // namespace

executor::ShapePlan PlanShape(absl::Span<const ScalarId> shape) {
  executor::ShapePlan plan;
  plan.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), plan.sizes);
  return plan;
}

executor::ViewPlan PlanView(const ir::Node* node, absl::Span<const ScalarId> shape) {
  executor::ViewPlan plan;
  plan.shape = PlanShape(shape);
  plan.operand_rank = node->operands[0]->rank();
  const auto scalars = node->attrs.scalars;
  std::copy(node->attrs.ints.begin(), node->attrs.ints.end(), plan.axis);
  std::copy_n(scalars.begin(), plan.operand_rank, plan.start);
  std::copy_n(scalars.begin() + plan.operand_rank, plan.shape.rank, plan.step);
  return plan;
}

int LayoutBuilder::StepOf(const ir::Node* node) {
  if (step_of_[node->id] >= 0) return step_of_[node->id];
  if (ir::IsGradientMarker(node->op)) return step_of_[node->id] = StepOf(node->operands[0]);
  executor::LayoutStep step;
  step.rule = RuleOf(node);
  step.dtype = node->dtype;
  step.shape = PlanShape(node->shape);
  if (step.rule == executor::LayoutRule::kInput) step.index = static_cast<int>(node->attrs.ints[0]);
  if (step.rule == executor::LayoutRule::kView) step.view = PlanView(node, node->shape);
  if (step.rule == executor::LayoutRule::kReduce) {
    for (const int64_t axis : node->attrs.ints) step.reduced_axes |= 1u << axis;
    step.keepdims = node->attrs.keepdims;
  }
  if (!IgnoresOperands(step.rule)) {
    const auto operands = node->operands.subspan(IsLikeUfunc(node) ? 1 : 0);
    for (const ir::Node* operand : operands) step.operands.push_back(StepOf(operand));
  }
  // A Store's base comes first, an Update's last; both are what the result lies in.
  if (node->op == Op::kStore) std::reverse(step.operands.begin(), step.operands.end());
  steps_.push_back(std::move(step));
  return step_of_[node->id] = static_cast<int>(steps_.size()) - 1;
}

int LayoutBuilder::StepOfOrigin(const ir::Node* node) {
  const ir::Node* origin = traced_.nodes()[node->origin];
  return equal_sizes_.AreEqual(origin->shape, node->shape) ? StepOf(origin) : -1;
}

int LayoutBuilder::StepOfSource(const ir::Node* node) {
  const ir::Node* origin = traced_.nodes()[node->origin];
  const bool fits =
      origin->op == node->op && origin->operands[0]->rank() == node->operands[0]->rank();
  return fits ? StepOf(origin->operands[0]) : -1;
}

}  // namespace dynacc::compile
