#include "codegen/ir/gather_attrs.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/ir/node_rules.h"
#include "runtime/base/status_macros.h"

namespace dynacc::ir {
namespace {

using Item = PlaceItem;
using Kind = Item::Kind;

// attrs.ints of places: these bits, the number of items, and for each its kind and what that has.
constexpr int64_t kAlong = 1;
constexpr int64_t kCOrder = 2;

// Before those of a Scatter: the op, or -1, the base and the value.
constexpr size_t kScatterInts = 3;

enum BoundKind : int64_t { kNone, kKnown, kComputed };

void Encode(const std::optional<Item::Bound>& bound, std::vector<int64_t>& ints) {
  ints.push_back(!bound ? kNone : bound->operand < 0 ? kKnown : kComputed);
  ints.push_back(!bound ? 0 : bound->operand < 0 ? bound->number : bound->operand);
}

void Encode(const Item& item, std::vector<int64_t>& ints) {
  ints.push_back(static_cast<int64_t>(item.kind));
  if (item.kind == Kind::kOperand) ints.push_back(item.operand);
  if (item.kind == Kind::kNumber) ints.push_back(item.number);
  if (item.kind == Kind::kNumbers) {
    ints.push_back(static_cast<int64_t>(item.numbers.size()));
    ints.insert(ints.end(), item.numbers.begin(), item.numbers.end());
  }
  if (item.kind == Kind::kPart) {
    Encode(item.from, ints);
    Encode(item.to, ints);
    ints.push_back(item.step);
  }
}

// Takes numbers off the front of a list; 0 and a mark where there is none.
class Decoder {
 public:
  explicit Decoder(absl::Span<const int64_t> ints) : ints_(ints) {}

  int64_t Next() {
    if (at_ == ints_.size()) is_whole_ = false;
    return is_whole_ ? ints_[at_++] : 0;
  }
  bool Has(int64_t count) const {
    return count >= 0 && static_cast<uint64_t>(count) <= ints_.size() - at_;
  }
  void Refuse() { is_whole_ = false; }
  bool IsDone() const { return is_whole_ && at_ == ints_.size(); }

 private:
  absl::Span<const int64_t> ints_;
  size_t at_ = 0;
  bool is_whole_ = true;
};

std::optional<Item::Bound> DecodeBound(Decoder& decoder) {
  const int64_t kind = decoder.Next(), number = decoder.Next();
  if (kind == kComputed) return Item::Bound{.operand = static_cast<int>(number)};
  if (kind == kKnown) return Item::Bound{.number = number};
  if (kind != kNone) decoder.Refuse();
  return std::nullopt;
}

Item DecodeItem(Decoder& decoder) {
  Item item;
  const int64_t kind = decoder.Next();
  if (kind < 0 || kind > static_cast<int64_t>(Kind::kNumbers)) decoder.Refuse();
  item.kind = static_cast<Kind>(kind);
  if (item.kind == Kind::kOperand) item.operand = static_cast<int>(decoder.Next());
  if (item.kind == Kind::kNumber) item.number = decoder.Next();
  if (item.kind == Kind::kNumbers) {
    const int64_t count = decoder.Next();
    if (!decoder.Has(count)) decoder.Refuse();
    for (int64_t i = 0; decoder.Has(1) && i < count; ++i) item.numbers.push_back(decoder.Next());
  }
  if (item.kind == Kind::kPart) {
    item.from = DecodeBound(decoder);
    item.to = DecodeBound(decoder);
    item.step = decoder.Next();
  }
  return item;
}

std::optional<GatherAttrs> Decode(absl::Span<const int64_t> ints) {
  Decoder decoder(ints);
  GatherAttrs places;
  const int64_t bits = decoder.Next();
  places.along = (bits & kAlong) != 0;
  places.c_order = (bits & kCOrder) != 0;
  const int64_t count = decoder.Next();
  if (!decoder.Has(count)) return std::nullopt;
  for (int64_t i = 0; i < count; ++i) places.items.push_back(DecodeItem(decoder));
  return decoder.IsDone() ? std::optional(std::move(places)) : std::nullopt;
}

bool IsPart(const Item& item) { return item.kind == Kind::kPart || item.kind == Kind::kNew; }
bool IsIndex(const Item& item) { return item.kind != Kind::kWhole && !IsPart(item); }

// The indices' axes are where the first of them is, if they are side by side; else they come first.
int PlaceOf(const std::vector<Item>& items) {
  const auto first = absl::c_find_if(items, IsIndex);
  const auto behind = std::find_if_not(first, items.end(), IsIndex);
  const bool apart = std::any_of(behind, items.end(), IsIndex);
  return apart ? 0 : static_cast<int>(first - items.begin());
}

executor::GatherPlan::Order OrderOf(const GatherAttrs& places) {
  const std::vector<Item>& items = places.items;
  if (places.along) return executor::GatherPlan::Order::kOfOperands;
  if (places.c_order) return executor::GatherPlan::Order::kC;
  if (absl::c_any_of(items, IsPart)) return executor::GatherPlan::Order::kUnknown;
  const auto behind = absl::c_find_if_not(items, IsIndex);
  const bool first = behind != items.begin() && std::none_of(behind, items.end(), IsIndex);
  return first ? executor::GatherPlan::Order::kOfOperands : executor::GatherPlan::Order::kUnknown;
}

// Of the broadcast indices.
int IndexRank(const Node& node, const std::vector<Item>& items) {
  int rank = 0;
  for (const Item& item : items) {
    if (item.kind == Kind::kNumbers) rank = std::max(rank, 1);
    if (item.kind == Kind::kOperand) rank = std::max(rank, node.operands[item.operand]->rank());
  }
  return rank;
}

// --- Text.

std::string OperandName(const Node& node, int operand) {
  const bool is_there = operand >= 0 && operand < static_cast<int>(node.operands.size());
  return is_there ? absl::StrCat("%", node.operands[operand]->id) : "?";
}

std::string BoundText(const Node& node, const std::optional<Item::Bound>& bound) {
  if (!bound) return "";
  return bound->operand < 0 ? absl::StrCat(bound->number) : OperandName(node, bound->operand);
}

std::string ItemText(const Node& node, const Item& item) {
  switch (item.kind) {
    case Kind::kWhole:
      return ":";
    case Kind::kNew:
      return "new";
    case Kind::kNumber:
      return absl::StrCat(item.number);
    case Kind::kNumbers:
      return absl::StrCat("[", absl::StrJoin(item.numbers, ", "), "]");
    case Kind::kOperand:
      return OperandName(node, item.operand);
    case Kind::kPart:
      return absl::StrCat(BoundText(node, item.from), ":", BoundText(node, item.to), ":",
                          item.step);
  }
  return "?";
}

std::string Text(const Node& node, const std::optional<GatherAttrs>& places) {
  if (!places) return absl::StrCat("at?[", absl::StrJoin(node.attrs.ints, ", "), "]");
  std::vector<std::string> items;
  for (const Item& item : places->items) items.push_back(ItemText(node, item));
  return absl::StrCat("at[", absl::StrJoin(items, ", "), "]", places->along ? " along" : "",
                      places->c_order ? " c_order" : "");
}

// --- Rules.

absl::Status Broken(absl::string_view rule) { return absl::InternalError(rule); }

bool IsOperand(const Node& node, int operand) {
  return operand >= 0 && operand < static_cast<int>(node.operands.size());
}

absl::Status CheckBound(const Node& node, const std::optional<Item::Bound>& bound) {
  if (!bound || bound->operand < 0) return absl::OkStatus();
  if (!IsOperand(node, bound->operand)) return Broken("a bound is no operand");
  const Node& operand = *node.operands[bound->operand];
  const bool fits = operand.rank() == 0 && IsInteger(operand.dtype);
  return fits ? absl::OkStatus() : Broken("a bound is no single integer");
}

absl::Status CheckItem(const Node& node, const Item& item) {
  if (item.kind == Kind::kNumbers && item.numbers.empty()) return Broken("a list of no indices");
  if (item.kind == Kind::kOperand) {
    if (!IsOperand(node, item.operand)) return Broken("an index is no operand");
    if (!IsInteger(node.operands[item.operand]->dtype)) return Broken("indices are integers");
  }
  if (item.kind != Kind::kPart) return absl::OkStatus();
  if (item.step == 0) return Broken("a step of 0");
  if (item.step < -INT64_MAX) return Broken("a step that has no opposite");
  DYNACC_RETURN_IF_ERROR(CheckBound(node, item.from));
  return CheckBound(node, item.to);
}

// `rank`: that of the elements at the places.
absl::Status CheckPlaces(const Node& node, const Node& array, const GatherAttrs& places,
                         int& rank) {
  for (const Item& item : places.items) DYNACC_RETURN_IF_ERROR(CheckItem(node, item));
  const auto made =
      absl::c_count_if(places.items, [](const Item& item) { return item.kind == Kind::kNew; });
  const auto size = static_cast<int>(places.items.size());
  if (size - made != array.rank()) return Broken("the places are not one for each axis");
  if (size > kMaxRank) return Broken(absl::StrCat("the rank of the places exceeds ", kMaxRank));
  const auto indices = static_cast<int>(absl::c_count_if(places.items, IsIndex));
  if (indices == 0) return Broken("no index among the places: that is a view");
  const int index_rank = IndexRank(node, places.items);
  rank = size - indices + index_rank;
  if (places.along) {
    const bool fits = indices == 1 && index_rank == array.rank() &&
                      absl::c_none_of(places.items, IsPart) &&
                      absl::c_none_of(places.items, [](const Item& item) {
                        return item.kind == Kind::kNumber || item.kind == Kind::kNumbers;
                      });
    if (!fits) return Broken("along an axis there is one index, of the array's rank");
    rank = index_rank;
  }
  return rank <= kMaxRank ? absl::OkStatus() : Broken("the elements' rank is too high");
}

}  // namespace

std::vector<int64_t> EncodeGather(const GatherAttrs& places) {
  std::vector<int64_t> ints = {(places.along ? kAlong : 0) | (places.c_order ? kCOrder : 0),
                               static_cast<int64_t>(places.items.size())};
  for (const Item& item : places.items) Encode(item, ints);
  return ints;
}

std::vector<int64_t> EncodeScatter(const ScatterAttrs& attrs) {
  std::vector<int64_t> ints = {attrs.op ? static_cast<int64_t>(*attrs.op) : -1, attrs.base,
                               attrs.value};
  const std::vector<int64_t> places = EncodeGather(attrs.places);
  ints.insert(ints.end(), places.begin(), places.end());
  return ints;
}

std::optional<GatherAttrs> GatherAttrsOf(const Node& gather) { return Decode(gather.attrs.ints); }

std::optional<ScatterAttrs> ScatterAttrsOf(const Node& scatter) {
  const absl::Span<const int64_t> ints = scatter.attrs.ints;
  if (ints.size() < kScatterInts || ints[0] < -1 || ints[0] >= NumOps()) return std::nullopt;
  std::optional<GatherAttrs> places = Decode(ints.subspan(kScatterInts));
  if (!places) return std::nullopt;
  ScatterAttrs attrs;
  if (ints[0] >= 0) attrs.op = static_cast<Op>(ints[0]);
  attrs.base = static_cast<int>(ints[1]);
  attrs.value = static_cast<int>(ints[2]);
  attrs.places = *std::move(places);
  return attrs;
}

std::string PlacesText(const Node& gather) { return Text(gather, GatherAttrsOf(gather)); }

std::string ScatterText(const ScalarProgram& scalars, const Node& scatter) {
  const std::optional<ScatterAttrs> attrs = ScatterAttrsOf(scatter);
  if (!attrs) return Text(scatter, std::nullopt);
  const bool has_number = attrs->value < 0 && !scatter.attrs.scalars.empty();
  return absl::StrCat(
      "into ", OperandName(scatter, attrs->base), " ", Text(scatter, attrs->places), " ",
      attrs->op ? Info(*attrs->op).text : "set", " ",
      has_number ? scalars.Name(scatter.attrs.scalars[0]) : OperandName(scatter, attrs->value));
}

absl::Status CheckGather(const Graph&, const Node& node) {
  const std::optional<GatherAttrs> places = GatherAttrsOf(node);
  if (!places) return Broken("places that cannot be read");
  if (!node.attrs.scalars.empty()) return Broken("wrong number of scalar attributes");
  int rank = 0;
  DYNACC_RETURN_IF_ERROR(CheckPlaces(node, *node.operands[0], *places, rank));
  return node.rank() == rank ? absl::OkStatus() : Broken(absl::StrCat("the rank should be ", rank));
}

absl::Status CheckScatter(const Graph& graph, const Node& node) {
  const std::optional<ScatterAttrs> attrs = ScatterAttrsOf(node);
  if (!attrs) return Broken("places that cannot be read");
  if (!IsOperand(node, attrs->base)) return Broken("the base is no operand");
  const Node& base = *node.operands[attrs->base];
  if (base.dtype != node.dtype) return Broken("the dtype is not the base's");
  if (base.rank() != node.rank()) return Broken("the shape is not the base's");
  int rank = 0;
  DYNACC_RETURN_IF_ERROR(CheckPlaces(node, base, attrs->places, rank));
  const bool combines = !attrs->op || (Info(*attrs->op).category == OpCategory::kBinary &&
                                       ResultOf(*attrs->op, node.dtype) == node.dtype);
  if (!combines) return Broken("no binary op by which elements become others");
  if (node.attrs.scalars.size() != (attrs->value < 0 ? 1 : 0)) {
    return Broken("wrong number of scalar attributes");
  }
  if (attrs->value < 0) {
    const ScalarId number = node.attrs.scalars[0];
    const bool is_known = number >= 0 && number < graph.scalars().size() &&
                          graph.scalars().expr(number).op == ScalarOp::kConst;
    return is_known ? absl::OkStatus() : Broken("the number is no constant");
  }
  if (!IsOperand(node, attrs->value)) return Broken("the value is no operand");
  const Node& value = *node.operands[attrs->value];
  if (value.dtype != node.dtype) return Broken("the value's dtype is not the base's");
  return value.rank() <= rank ? absl::OkStatus() : Broken("the value's rank is too high");
}

namespace {

std::optional<executor::GatherPlan::Bound> PlanBound(
    const std::vector<executor::OperandPlan>& operands, const std::optional<Item::Bound>& bound) {
  if (!bound) return std::nullopt;
  executor::GatherPlan::Bound plan;
  if (bound->operand < 0) {
    plan.number = bound->number;
  } else {
    plan.operand = operands[bound->operand];
  }
  return plan;
}

executor::GatherPlan::Part PlanPart(const std::vector<executor::OperandPlan>& operands,
                                    const Item& item, int axis) {
  executor::GatherPlan::Part part;
  part.axis = axis;
  part.is_new = item.kind == Kind::kNew;
  part.step = item.step;
  part.from = PlanBound(operands, item.from);
  part.to = PlanBound(operands, item.to);
  return part;
}

executor::GatherPlan::Index PlanIndex(const std::vector<executor::OperandPlan>& operands,
                                      const Item& item, int axis) {
  executor::GatherPlan::Index index;
  index.axis = axis;
  if (item.kind == Kind::kNumber) index.number = item.number;
  if (item.kind == Kind::kNumbers) index.numbers = item.numbers;
  if (item.kind == Kind::kOperand) index.operand = operands[item.operand];
  return index;
}

// `array`: the operand that the places are about.
executor::GatherPlan Plan(const Node& node, const std::vector<executor::OperandPlan>& operands,
                          int array, const GatherAttrs& places, int output) {
  executor::GatherPlan plan;
  plan.source = operands[array];
  plan.output = output;
  for (size_t i = 0; i < places.items.size(); ++i) {
    const Item& item = places.items[i];
    const int axis = static_cast<int>(i);
    if (IsPart(item)) plan.parts.push_back(PlanPart(operands, item, axis));
    if (IsIndex(item)) plan.indices.push_back(PlanIndex(operands, item, axis));
  }
  plan.index_rank = IndexRank(node, places.items);
  plan.is_along = places.along;
  plan.place = places.along ? 0 : PlaceOf(places.items);
  plan.order = OrderOf(places);
  return plan;
}

}  // namespace

executor::GatherPlan PlanGather(const Node& node,
                                const std::vector<executor::OperandPlan>& operands, int output) {
  return Plan(node, operands, 0, *GatherAttrsOf(node), output);
}

executor::ScatterPlan PlanScatter(const Graph& graph, const Node& node,
                                  const std::vector<executor::OperandPlan>& operands, int output) {
  const ScatterAttrs attrs = *ScatterAttrsOf(node);
  executor::ScatterPlan plan;
  plan.places = Plan(node, operands, attrs.base, attrs.places, output);
  plan.dtype = node.dtype;
  plan.op = attrs.op;
  if (attrs.value >= 0) {
    plan.value = operands[attrs.value];
  } else {
    const ScalarExpr& number = graph.scalars().expr(node.attrs.scalars[0]);
    plan.number = executor::ScalarCell(number.value, number.type, node.dtype);
  }
  return plan;
}

}  // namespace dynacc::ir
