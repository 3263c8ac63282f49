#include "codegen/gather_planner.h"

#include <algorithm>

#include "runtime/executor/extern_meaning.h"

namespace dynacc {
namespace {

using Item = ExternGather::Item;
using Kind = Item::Kind;

// One item for each axis of an array of that rank; empty if there are too many.
std::vector<Item> ItemsByAxis(const ExternGather& gather, int rank) {
  const auto named =
      static_cast<int>(gather.items.size()) -
      static_cast<int>(std::count_if(gather.items.begin(), gather.items.end(),
                                     [](const Item& item) { return item.kind == Kind::kRest; }));
  if (named > rank) return {};
  std::vector<Item> items;
  for (const Item& item : gather.items) {
    if (item.kind != Kind::kRest) {
      items.push_back(item);
    } else {
      items.insert(items.end(), rank - named, Item());
    }
  }
  items.resize(rank);
  return items;
}

bool IsIndex(const Item& item) { return item.kind != Kind::kWhole; }

// The indices' axes are where the first of them is, if they are side by side; else they come first.
int PlaceOf(const std::vector<Item>& items) {
  const auto first = std::find_if(items.begin(), items.end(), IsIndex);
  const auto behind = std::find_if_not(first, items.end(), IsIndex);
  const bool apart = std::any_of(behind, items.end(), IsIndex);
  return apart ? 0 : static_cast<int>(first - items.begin());
}

GatherPlan::Order OrderOf(const ExternGather& gather, const std::vector<Item>& items) {
  if (gather.is_c_order) return GatherPlan::Order::kC;
  const auto behind = std::find_if_not(items.begin(), items.end(), IsIndex);
  const bool first = behind != items.begin() && std::none_of(behind, items.end(), IsIndex);
  return first ? GatherPlan::Order::kOfOperands : GatherPlan::Order::kUnknown;
}

// The indices of `source`, operand `at` of the call; false if no device can follow them.
bool PlanIndices(const Node* node, const std::vector<OperandPlan>& operands, int at,
                 const std::vector<Item>& items, GatherPlan& plan) {
  plan.source = operands[at];
  for (size_t axis = 0; axis < items.size(); ++axis) {
    if (!IsIndex(items[axis])) continue;
    GatherPlan::Index& index = plan.indices.emplace_back();
    index.axis = static_cast<int>(axis);
    if (items[axis].kind == Kind::kNumber) {
      index.number = items[axis].number;
      continue;
    }
    const Node* const operand = node->operands[items[axis].operand];
    if (!IsInteger(operand->dtype)) return false;
    index.operand = operands[items[axis].operand];
    plan.index_rank = std::max(plan.index_rank, operand->rank());
  }
  plan.place = PlaceOf(items);
  return !plan.indices.empty();
}

// The number as the array's element, if it fits without a doubt.
std::optional<ElementCell> CellOf(ScalarValue number, ScalarType type, DType dtype) {
  constexpr int64_t kFitsAll = 127;
  const bool fits =
      IsInexact(dtype) || (type == ScalarType::kBool && dtype == DType::kBool) ||
      (IsInteger(dtype) && type == ScalarType::kInt && number.i >= 0 && number.i <= kFitsAll);
  if (!fits) return std::nullopt;
  return ScalarCell(number, type, dtype);
}

}  // namespace

std::optional<GatherPlan> PlanGather(const Node* node, const std::vector<OperandPlan>& operands,
                                     int output) {
  const std::optional<ExternGather> gather = FindExternGather(node->attrs.ints[0]);
  // With a late number the call defines a size.
  if (!gather.has_value() || !node->attrs.scalars.empty()) return std::nullopt;
  const Node* const source = node->operands[0];
  if (source->dtype != node->dtype || (gather->is_flat && source->rank() != 1)) return std::nullopt;
  const std::vector<Item> items = ItemsByAxis(*gather, source->rank());
  GatherPlan plan;
  plan.output = output;
  if (!PlanIndices(node, operands, 0, items, plan)) return std::nullopt;
  plan.is_along = gather->is_along;
  const int whole = source->rank() - static_cast<int>(plan.indices.size());
  if (plan.is_along) {
    if (plan.index_rank != source->rank() || node->rank() != source->rank()) return std::nullopt;
    plan.place = 0;
    plan.order = GatherPlan::Order::kOfOperands;
    return plan;
  }
  if (node->rank() != whole + plan.index_rank) return std::nullopt;
  plan.order = OrderOf(*gather, items);
  return plan;
}

std::optional<ScatterPlan> PlanScatter(const Node* node, const std::vector<OperandPlan>& operands,
                                       int output) {
  const std::optional<ExternScatter> scatter = FindExternScatter(node->attrs.ints[0]);
  if (!scatter.has_value() || !node->attrs.scalars.empty()) return std::nullopt;
  const Node* const base = node->operands[scatter->base];
  if (base->dtype != node->dtype || base->rank() != node->rank()) return std::nullopt;
  ScatterPlan plan;
  plan.places.output = output;
  const std::vector<Item> items = ItemsByAxis(scatter->places, base->rank());
  if (!PlanIndices(node, operands, scatter->base, items, plan.places)) return std::nullopt;
  const int whole = base->rank() - static_cast<int>(plan.places.indices.size());
  if (whole + plan.places.index_rank > kMaxRank) return std::nullopt;
  if (scatter->value < 0) {
    plan.number = CellOf(scatter->number, scatter->type, node->dtype);
    return plan.number.has_value() ? std::optional(std::move(plan)) : std::nullopt;
  }
  const Node* const value = node->operands[scatter->value];
  if (value->dtype != node->dtype || value->rank() > whole + plan.places.index_rank) {
    return std::nullopt;
  }
  plan.value = operands[scatter->value];
  return plan;
}

}  // namespace dynacc
