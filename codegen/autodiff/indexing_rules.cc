// Rules of ops that find elements by indices (gradient_rules.h): Gather, Compress and Scatter.
//
// Indices are ints and have no cotangents. What a place gave, it gets back; what several elements
// of the result show of one place is added there.
#include <algorithm>
#include <optional>
#include <vector>

#include "boost/container/small_vector.hpp"
#include "codegen/autodiff/gradient_rules.h"
#include "codegen/autodiff/view_adjoint.h"
#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::autodiff {
namespace {

using absl::OkStatus;
using Kind = ir::PlaceItem::Kind;
using Operands = std::vector<const ir::Node*>;
using Sizes = std::vector<ScalarId>;

// `places` of `node`, with the operands that they name appended to `operands` and named there.
ir::GatherAttrs MovePlaces(const ir::Node& node, ir::GatherAttrs places, Operands& operands) {
  const auto move = [&](int& operand) {
    if (operand < 0) return;
    operands.push_back(node.operands[operand]);
    operand = static_cast<int>(operands.size()) - 1;
  };
  for (ir::PlaceItem& item : places.items) {
    if (item.kind == Kind::kOperand) move(item.operand);
    if (item.from) move(item.from->operand);
    if (item.to) move(item.to->operand);
  }
  places.c_order = false;
  return places;
}

// 0, 1, 2 ... of int64.
const ir::Node* Iota(ir::Graph& graph, ScalarId size) {
  const ScalarId shape[] = {size};
  const ir::Node* const ones = graph.Full(DType::kInt64, graph.scalars().Int(1), shape);
  const ir::Node* const counted = graph.Scan(Op::kCumsum, ones, 0);
  return graph.Binary(Op::kSubtract, counted, ones);
}

// The places of take_along_axis as places that name an index for each axis.
ir::GatherAttrs SpellOutAlong(ir::Graph& graph, const ir::Node& array, const ir::GatherAttrs& along,
                              Operands& operands) {
  ScalarProgram& scalars = graph.scalars();
  ir::GatherAttrs places;
  for (size_t d = 0; d < along.items.size(); ++d) {
    const ScalarId size = array.shape[d];
    if (along.items[d].kind == Kind::kOperand) {
      places.items.push_back(along.items[d]);
    } else if (size == scalars.Int(1)) {
      places.items.push_back({.kind = Kind::kNumber});
    } else {
      ir::ShapeVector shape(along.items.size(), scalars.Int(1));
      shape[d] = size;
      operands.push_back(graph.Reshape(Iota(graph, size), shape));
      places.items.push_back(
          {.kind = Kind::kOperand, .operand = static_cast<int>(operands.size()) - 1});
    }
  }
  return places;
}

bool IsIndex(const ir::PlaceItem& item) {
  return item.kind == Kind::kOperand || item.kind == Kind::kNumber || item.kind == Kind::kNumbers;
}

int IndexRank(const ir::Node& node, const ir::PlaceItem& item) {
  if (item.kind == Kind::kOperand) return node.operands[item.operand]->rank();
  return item.kind == Kind::kNumbers ? 1 : 0;
}

// The shape of the indices together.
Sizes BroadcastIndices(ir::Graph& graph, const ir::Node& node, const ir::GatherAttrs& places) {
  ScalarProgram& scalars = graph.scalars();
  int rank = 0;
  for (const ir::PlaceItem& item : places.items) {
    if (IsIndex(item)) rank = std::max(rank, IndexRank(node, item));
  }
  Sizes shape(static_cast<size_t>(rank), scalars.Int(1));
  const auto meet = [&](int axis, ScalarId size) {
    if (size != scalars.Int(1)) shape[axis] = size;
  };
  for (const ir::PlaceItem& item : places.items) {
    if (item.kind == Kind::kNumbers) {
      meet(rank - 1, scalars.Int(static_cast<int64_t>(item.numbers.size())));
    }
    if (item.kind != Kind::kOperand) continue;
    const ir::Node& index = *node.operands[item.operand];
    for (int d = 0; d < index.rank(); ++d) meet(rank - index.rank() + d, index.shape[d]);
  }
  return shape;
}

// The shape of the elements at the places of `array`, as graph.h says it; nothing where a slice has
// a say.
std::optional<Sizes> ShapeOfPlaces(ir::Graph& graph, const ir::Node& node, const ir::Node& array,
                                   const ir::GatherAttrs& places) {
  Sizes others;
  size_t axis = 0, place = 0;
  bool has_index = false, is_apart = false, was_index = false;
  for (const ir::PlaceItem& item : places.items) {
    if (item.kind == Kind::kPart) return std::nullopt;
    if (IsIndex(item)) {
      if (!has_index) place = others.size();
      is_apart = is_apart || (has_index && !was_index);
      has_index = true;
    } else {
      others.push_back(item.kind == Kind::kNew ? graph.scalars().Int(1) : array.shape[axis]);
    }
    was_index = IsIndex(item);
    if (item.kind != Kind::kNew) ++axis;
  }
  if (is_apart) place = 0;
  Sizes shape;
  for (size_t d = 0; d < place; ++d) shape.push_back(others[d]);
  for (const ScalarId size : BroadcastIndices(graph, node, places)) shape.push_back(size);
  for (size_t d = place; d < others.size(); ++d) shape.push_back(others[d]);
  return shape;
}

size_t RankOfPlaces(const ir::Node& node, const ir::GatherAttrs& places) {
  size_t rank = 0;
  int indices = 0;
  for (const ir::PlaceItem& item : places.items) {
    if (IsIndex(item)) {
      indices = std::max(indices, IndexRank(node, item));
    } else {
      ++rank;
    }
  }
  return rank + static_cast<size_t>(indices);
}

// The shape of the elements that a Scatter writes.
absl::StatusOr<Sizes> WrittenShape(ir::Graph& graph, const ir::Node& node,
                                   const ir::ScatterAttrs& attrs) {
  const ir::Node& value = *node.operands[attrs.value];
  const Sizes own(value.shape.begin(), value.shape.end());
  const bool is_whole = own.size() == RankOfPlaces(node, attrs.places) &&
                        std::find(own.begin(), own.end(), graph.scalars().Int(1)) == own.end();
  if (is_whole) return own;
  const std::optional<Sizes> shape =
      ShapeOfPlaces(graph, node, *node.operands[attrs.base], attrs.places);
  if (shape) return *shape;
  return absl::UnimplementedError("a value that is repeated is stored into a slice with indices");
}

// Elements of `array`, which has the base's shape, at a Scatter's places.
const ir::Node* GatherAt(ir::Graph& graph, const ir::Node& scatter, const ir::ScatterAttrs& attrs,
                         const ir::Node* array, const Sizes& shape) {
  Operands operands = {array};
  const ir::GatherAttrs places = MovePlaces(scatter, attrs.places, operands);
  return graph.Gather(operands, places, shape);
}

// Whether each written element is the last one at its place: an array of the places' shape. The
// elements are numbered, and the numbers stored and read again.
const ir::Node* AreLast(ir::Graph& graph, const ir::Node& scatter, const ir::ScatterAttrs& attrs,
                        const Sizes& shape) {
  ScalarProgram& scalars = graph.scalars();
  ScalarId count = scalars.Int(1);
  for (const ScalarId size : shape) count = scalars.Apply(ScalarOp::kMul, count, size);
  const ir::Node* const numbers = graph.Reshape(Iota(graph, count), shape);
  const ir::Node* const none = graph.Full(DType::kInt64, scalars.Int(-1), scatter.shape);
  Operands operands = {none, numbers};
  ir::ScatterAttrs stored;
  stored.places = MovePlaces(scatter, attrs.places, operands);
  stored.value = 1;
  const ir::Node* const last = graph.Scatter(operands, stored);
  return graph.Binary(Op::kEqual, GatherAt(graph, scatter, attrs, last, shape), numbers);
}

// A Scatter of `value` by `op` into `into`, which has the base's shape, at the places of another
// Scatter.
const ir::Node* ScatterAt(ir::Graph& graph, const ir::Node& scatter, const ir::ScatterAttrs& attrs,
                          Op op, const ir::Node* into, const ir::Node* value) {
  Operands operands = {into, value};
  ir::ScatterAttrs made;
  made.places = MovePlaces(scatter, attrs.places, operands);
  made.value = 1;
  made.op = op;
  return graph.Scatter(operands, made);
}

// A Scatter that combines, taken apart: the graph of its derivative, and what is stored, an element
// for each place.
struct Combined {
  Pullback& pull;
  ir::ScatterAttrs attrs;
  Sizes shape;  // of the places
  Value base, stored;

  const ir::Node& node() const { return pull.node; }
  ir::Graph& graph() const { return pull.graph; }
  // Elements at the places of an array like the base.
  Value At(Value array) const {
    return {graph(), GatherAt(graph(), node(), attrs, array.node(), shape)};
  }
  // An array like the base, in which `op` has combined `value` with what `into` has at the places.
  Value Into(Op op, Value into, Value value) const {
    return {graph(), ScatterAt(graph(), node(), attrs, op, into.node(), value.node())};
  }
  void Give(Value of_base, Value of_stored) const {
    pull.Give(static_cast<size_t>(attrs.base), of_base.node());
    if (attrs.value < 0) return;
    const auto value = static_cast<size_t>(attrs.value);
    pull.Give(value, SumTo(graph(), of_stored.node(), node().operands[value]->shape));
  }
};

// g to the greatest or least of a place, shared evenly if several are.
void ExtremeGradient(const Combined& scatter) {
  const Value result(scatter.graph(), &scatter.node());
  const DType dtype = result.dtype();
  const Value is_base = Equal(scatter.base, result).To(dtype);
  const Value is_stored = Equal(scatter.stored, scatter.At(result)).To(dtype);
  const Value count = scatter.Into(Op::kAdd, is_base, is_stored);
  const Value share = Value(scatter.graph(), scatter.pull.cotangent) / count;
  scatter.Give(share * is_base, scatter.At(share) * is_stored);
}

// g times the product of a place's other factors. That is the product of the factors but zeros,
// divided by the own one, and times the zeros: one of them by their sum, so that the second
// derivative is right, too; none if there are two others.
void ProductGradient(const Combined& scatter) {
  const Value g(scatter.graph(), scatter.pull.cotangent);
  const Value ones = scatter.base.Number(1.0), zeros = scatter.base.Number(0.0);
  const Value factor = scatter.stored;
  const Value is_zero = Equal(factor, factor.Number(0.0));
  const Value without_zero = Select(is_zero, 1.0, factor);
  const Value product = scatter.At(scatter.Into(Op::kMultiply, ones, without_zero));
  const Value zero_factors =
      scatter.At(scatter.Into(Op::kAdd, zeros, Select(is_zero, factor, 0.0)));
  const Value num_zeros = scatter.At(scatter.Into(Op::kAdd, zeros, is_zero.To(factor.dtype())));
  const Value num_others = num_zeros - is_zero.To(factor.dtype());
  const Value other_zeros = Select(is_zero, zero_factors - factor, zero_factors);
  const Value others = product / without_zero;
  const Value of_others =
      Select(Equal(num_others, num_others.Number(0.0)), others,
             Select(Equal(num_others, num_others.Number(1.0)), others * other_zeros, 0.0));
  scatter.Give(g * scatter.Into(Op::kMultiply, ones, factor),
               scatter.At(g * scatter.base) * of_others);
}

// What a Scatter stores: an array, or a number.
const ir::Node* StoredBy(ir::Graph& graph, const ir::Node& scatter, const ir::ScatterAttrs& attrs) {
  if (attrs.value >= 0) return scatter.operands[attrs.value];
  const ScalarExpr number = graph.scalars().expr(scatter.attrs.scalars[0]);
  const double value =
      number.type == ScalarType::kFloat ? number.value.f : static_cast<double>(number.value.i);
  return graph.Scalar(scatter.dtype, graph.scalars().Float(value));
}

// Of an op that has a rule.
absl::Status CombinedGradient(Pullback& pull, const ir::ScatterAttrs& attrs) {
  ir::Graph& graph = pull.graph;
  const ir::Node* const base = pull.node.operands[attrs.base];
  std::optional<Sizes> shape = ShapeOfPlaces(graph, pull.node, *base, attrs.places);
  if (attrs.value >= 0) {
    const absl::StatusOr<Sizes> written = WrittenShape(graph, pull.node, attrs);
    if (!written.ok()) return written.status();
    shape = *written;
  }
  if (!shape) return absl::UnimplementedError("a number is stored into a slice with indices");
  const ir::Node* const stored = graph.BroadcastTo(StoredBy(graph, pull.node, attrs), *shape);
  const Combined scatter = {pull, attrs, *shape, Value(graph, base), Value(graph, stored)};
  attrs.op == Op::kMultiply ? ProductGradient(scatter) : ExtremeGradient(scatter);
  return OkStatus();
}

}  // namespace

absl::Status GatherGradient(Pullback& pull) {
  const ir::Node& array = *pull.node.operands[0];
  const ir::GatherAttrs own = *ir::GatherAttrsOf(pull.node);
  Operands operands = {Zeros(pull.graph, array.dtype, array.shape), pull.cotangent};
  ir::ScatterAttrs added;
  added.places = MovePlaces(pull.node, own, operands);
  if (own.along) added.places = SpellOutAlong(pull.graph, array, added.places, operands);
  added.value = 1;
  added.op = Op::kAdd;
  pull.Give(0, pull.graph.Scatter(operands, added));
  return OkStatus();
}

// Row k of those that are taken is row k + 1 of the cotangent behind a row of zeros, and that row
// of zeros is for the others.
absl::Status CompressGradient(Pullback& pull) {
  ir::Graph& graph = pull.graph;
  ScalarProgram& scalars = graph.scalars();
  const ir::Node& array = *pull.node.operands[0];
  const ir::Node& mask = *pull.node.operands[1];
  ScalarId count = scalars.Int(1);
  for (const ScalarId size : mask.shape) count = scalars.Apply(ScalarOp::kMul, count, size);
  const ScalarId flat[] = {count};
  const ir::Node* const taken = graph.Cast(DType::kInt64, graph.Reshape(&mask, flat));
  const ir::Node* const row = graph.Binary(Op::kMultiply, taken, graph.Scan(Op::kCumsum, taken, 0));
  ir::ShapeVector shape(pull.node.shape.begin(), pull.node.shape.end());
  const ScalarId rows = shape[0];
  shape[0] = scalars.Int(1);
  const ir::Node* const zeros = Zeros(graph, pull.node.dtype, shape);
  shape[0] = scalars.Apply(ScalarOp::kAdd, rows, scalars.Int(1));
  const ir::Node* const padded = graph.Concat({zeros, pull.cotangent}, 0, shape);
  pull.Give(0, graph.Reshape(graph.Take(padded, row), array.shape));
  return OkStatus();
}

absl::Status ScatterGradient(Pullback& pull) {
  ir::Graph& graph = pull.graph;
  const ir::ScatterAttrs attrs = *ir::ScatterAttrsOf(pull.node);
  const auto base = static_cast<size_t>(attrs.base);
  const bool adds = attrs.op == Op::kAdd || attrs.op == Op::kSubtract;
  if (attrs.op && !adds) {
    const bool is_extreme = attrs.op == Op::kMaximum || attrs.op == Op::kMinimum;
    const bool has_rule = attrs.op == Op::kMultiply || (is_extreme && !IsComplex(pull.node.dtype));
    if (has_rule) return CombinedGradient(pull, attrs);
    return absl::UnimplementedError(
        "elements become another function of themselves than a sum, a product or an extreme of "
        "real numbers");
  }
  if (adds) pull.Give(base, pull.cotangent);
  if (!adds && pull.Needs(base)) {
    Operands operands = {pull.cotangent};
    ir::ScatterAttrs cleared;
    cleared.places = MovePlaces(pull.node, attrs.places, operands);
    pull.Give(base, graph.Scatter(operands, cleared, graph.scalars().Float(0.0)));
  }
  if (attrs.value < 0 || !pull.Needs(static_cast<size_t>(attrs.value))) return OkStatus();
  const absl::StatusOr<Sizes> shape = WrittenShape(graph, pull.node, attrs);
  if (!shape.ok()) return shape.status();
  Value part(graph, GatherAt(graph, pull.node, attrs, pull.cotangent, *shape));
  if (attrs.op == Op::kSubtract) part = -part;
  if (!adds) part = Select(Value(graph, AreLast(graph, pull.node, attrs, *shape)), part, 0.0);
  const auto value = static_cast<size_t>(attrs.value);
  pull.Give(value, SumTo(graph, part.node(), pull.node.operands[value]->shape));
  return OkStatus();
}

}  // namespace dynacc::autodiff
