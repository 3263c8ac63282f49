#include "codegen/compile/gather_planner.h"

#include <algorithm>

#include "runtime/executor/library_call_meaning.h"

namespace dynacc::compile {
namespace {

using Item = executor::GatherCall::Item;
using Kind = Item::Kind;

// One item for each axis of an array of that rank, and for each new one; empty if there are too
// many.
std::vector<Item> ItemsByAxis(const executor::GatherCall& gather, int rank) {
  const auto count = [&gather](Kind kind) {
    return static_cast<int>(std::count_if(gather.items.begin(), gather.items.end(),
                                          [kind](const Item& item) { return item.kind == kind; }));
  };
  const int made = count(Kind::kNew);
  const int named = static_cast<int>(gather.items.size()) - count(Kind::kRest) - made;
  if (named > rank || rank + made > kMaxRank) return {};
  std::vector<Item> items;
  for (const Item& item : gather.items) {
    if (item.kind != Kind::kRest) {
      items.push_back(item);
    } else {
      items.insert(items.end(), rank - named, Item());
    }
  }
  items.resize(rank + made);
  return items;
}

bool IsPart(const Item& item) { return item.kind == Kind::kPart || item.kind == Kind::kNew; }
bool IsIndex(const Item& item) { return item.kind != Kind::kWhole && !IsPart(item); }

// The indices' axes are where the first of them is, if they are side by side; else they come first.
int PlaceOf(const std::vector<Item>& items) {
  const auto first = std::find_if(items.begin(), items.end(), IsIndex);
  const auto behind = std::find_if_not(first, items.end(), IsIndex);
  const bool apart = std::any_of(behind, items.end(), IsIndex);
  return apart ? 0 : static_cast<int>(first - items.begin());
}

targets::GatherPlan::Order OrderOf(const executor::GatherCall& gather,
                                   const std::vector<Item>& items) {
  if (gather.is_c_order) return targets::GatherPlan::Order::kC;
  if (std::any_of(items.begin(), items.end(), IsPart)) return targets::GatherPlan::Order::kUnknown;
  const auto behind = std::find_if_not(items.begin(), items.end(), IsIndex);
  const bool first = behind != items.begin() && std::none_of(behind, items.end(), IsIndex);
  return first ? targets::GatherPlan::Order::kOfOperands : targets::GatherPlan::Order::kUnknown;
}

// False: it is no integer.
bool PlanBound(const ir::Node* node, const std::vector<executor::OperandPlan>& operands,
               const std::optional<executor::GatherCall::Bound>& bound,
               std::optional<targets::GatherPlan::Bound>& plan) {
  if (!bound.has_value()) return true;
  plan.emplace();
  if (bound->operand < 0) {
    plan->number = bound->number;
    return true;
  }
  plan->operand = operands[bound->operand];
  return IsInteger(node->operands[bound->operand]->dtype);
}

bool PlanParts(const ir::Node* node, const std::vector<executor::OperandPlan>& operands,
               const std::vector<Item>& items, targets::GatherPlan& plan) {
  for (size_t axis = 0; axis < items.size(); ++axis) {
    if (!IsPart(items[axis])) continue;
    targets::GatherPlan::Part& part = plan.parts.emplace_back();
    part.axis = static_cast<int>(axis);
    part.is_new = items[axis].kind == Kind::kNew;
    part.step = items[axis].step;
    if (!PlanBound(node, operands, items[axis].from, part.from) ||
        !PlanBound(node, operands, items[axis].to, part.to)) {
      return false;
    }
  }
  return true;
}

// The indices of `source`, operand `at` of the call; false if no device can follow them.
bool PlanIndices(const ir::Node* node, const std::vector<executor::OperandPlan>& operands, int at,
                 const std::vector<Item>& items, targets::GatherPlan& plan) {
  plan.source = operands[at];
  if (!PlanParts(node, operands, items, plan)) return false;
  for (size_t axis = 0; axis < items.size(); ++axis) {
    if (!IsIndex(items[axis])) continue;
    targets::GatherPlan::Index& index = plan.indices.emplace_back();
    index.axis = static_cast<int>(axis);
    if (items[axis].kind == Kind::kNumber) {
      index.number = items[axis].number;
      continue;
    }
    if (items[axis].kind == Kind::kNumbers) {
      index.numbers = items[axis].numbers;
      plan.index_rank = std::max(plan.index_rank, 1);
      continue;
    }
    const ir::Node* const operand = node->operands[items[axis].operand];
    if (!IsInteger(operand->dtype)) return false;
    index.operand = operands[items[axis].operand];
    plan.index_rank = std::max(plan.index_rank, operand->rank());
  }
  plan.place = PlaceOf(items);
  return !plan.indices.empty();
}

// The number as the array's element, if it fits without a doubt.
std::optional<executor::ElementCell> CellOf(ScalarValue number, ScalarType type, DType dtype) {
  constexpr int64_t kFitsAll = 127;
  const bool fits =
      IsInexact(dtype) || (type == ScalarType::kBool && dtype == DType::kBool) ||
      (IsInteger(dtype) && type == ScalarType::kInt && number.i >= 0 && number.i <= kFitsAll);
  if (!fits) return std::nullopt;
  return executor::ScalarCell(number, type, dtype);
}

}  // namespace

std::optional<targets::GatherPlan> PlanGather(const ir::Node* node,
                                              const std::vector<executor::OperandPlan>& operands,
                                              int output) {
  const std::optional<executor::GatherCall> gather = executor::FindGatherCall(node->attrs.ints[0]);
  // With a data-dependent number the call defines a size.
  if (!gather.has_value() || !node->attrs.scalars.empty()) return std::nullopt;
  const ir::Node* const source = node->operands[0];
  if (source->dtype != node->dtype || (gather->is_flat && source->rank() != 1)) return std::nullopt;
  const std::vector<Item> items = ItemsByAxis(*gather, source->rank());
  targets::GatherPlan plan;
  plan.output = output;
  if (!PlanIndices(node, operands, 0, items, plan)) return std::nullopt;
  plan.is_along = gather->is_along;
  const int whole = static_cast<int>(items.size() - plan.indices.size());
  if (plan.is_along) {
    if (plan.index_rank != source->rank() || node->rank() != source->rank()) return std::nullopt;
    plan.place = 0;
    plan.order = targets::GatherPlan::Order::kOfOperands;
    return plan;
  }
  if (node->rank() != whole + plan.index_rank) return std::nullopt;
  plan.order = OrderOf(*gather, items);
  return plan;
}

std::optional<targets::ScatterPlan> PlanScatter(const ir::Node* node,
                                                const std::vector<executor::OperandPlan>& operands,
                                                int output) {
  const std::optional<executor::ScatterCall> scatter =
      executor::FindScatterCall(node->attrs.ints[0]);
  if (!scatter.has_value() || !node->attrs.scalars.empty()) return std::nullopt;
  const ir::Node* const base = node->operands[scatter->base];
  if (base->dtype != node->dtype || base->rank() != node->rank()) return std::nullopt;
  targets::ScatterPlan plan;
  plan.dtype = node->dtype;
  if (scatter->op.has_value()) plan.op = static_cast<Op>(*scatter->op);
  plan.places.output = output;
  const std::vector<Item> items = ItemsByAxis(scatter->places, base->rank());
  if (!PlanIndices(node, operands, scatter->base, items, plan.places)) return std::nullopt;
  const int whole = static_cast<int>(items.size() - plan.places.indices.size());
  if (whole + plan.places.index_rank > kMaxRank) return std::nullopt;
  if (scatter->value < 0) {
    plan.number = CellOf(scatter->number, scatter->type, node->dtype);
    return plan.number.has_value() ? std::optional(std::move(plan)) : std::nullopt;
  }
  const ir::Node* const value = node->operands[scatter->value];
  if (value->dtype != node->dtype || value->rank() > whole + plan.places.index_rank) {
    return std::nullopt;
  }
  plan.value = operands[scatter->value];
  return plan;
}

}  // namespace dynacc::compile
