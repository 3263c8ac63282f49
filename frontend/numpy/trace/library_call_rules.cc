#include "frontend/numpy/trace/library_call_rules.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/known_int.h"
#include "frontend/numpy/trace/number_calls.h"
#include "frontend/numpy/trace/operand.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

using MaybeShape = absl::StatusOr<std::optional<Shape>>;

// The shape of an argument that is an array or number; nothing for other things, as lists.
std::optional<Shape> ShapeOfValue(symbolic::Value* value) {
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value)) return ShapeOf(tensor);
  if (ScalarOfNumber(value) != nullptr) return Shape();
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  const bool is_number = constant != nullptr && PyNumber_Check(constant->object.get()) &&
                         !PyUnicode_Check(constant->object.get());
  if (is_number || symbolic::As<symbolic::NumberValue>(value) != nullptr) return Shape();
  return std::nullopt;
}

bool IsNumber(symbolic::Value* value) {
  const std::optional<Shape> shape = ShapeOfValue(value);
  return shape && shape->rank() == 0;
}

Shape Part(const Shape& shape, int first, int last) {
  Shape part;
  for (int i = std::max(first, 0); i < last; ++i) part.push_back(shape.at(i));
  return part;
}

Shape Joined(Shape a, const Shape& b) {
  for (int i = 0; i < b.rank(); ++i) a.push_back(b.at(i));
  return a;
}

Shape Flat(symbolic::TraceContext& trace, const Shape& shape) {
  Shape flat;
  flat.push_back(ProductOf(trace, shape, 0, shape.rank()));
  return flat;
}

// `shape` without `axes` (ascending), or with sizes of 1 there.
Shape Without(symbolic::TraceContext& trace, const Shape& shape, absl::Span<const int64_t> axes,
              bool keep) {
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!std::binary_search(axes.begin(), axes.end(), axis)) {
      result.push_back(shape.at(axis));
    } else if (keep) {
      result.push_back(ConstantSize(trace, 1));
    }
  }
  return result;
}

MaybeShape ReducedOver(symbolic::TraceContext& trace, const BoundArgs& args,
                       symbolic::Value* axis) {
  const std::optional<Shape> shape = ShapeOfValue(args.First());
  if (!shape) return std::nullopt;
  if (shape->rank() == 0) {
    auto* const array = symbolic::As<symbolic::TensorValue>(args.First());
    const bool is_array = array != nullptr && !array->is_scalar;
    if (is_array && axis == nullptr) return shape;
    return symbolic::GraphBreak("reduction of a scalar");  // it may give it back
  }
  DYNACC_ASSIGN_OR_RETURN(const bool keepdims, args.Flag("keepdims", false));
  std::vector<int64_t> axes;
  if (axis != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(axes, AxesFrom(trace, axis, shape->rank()));
    std::sort(axes.begin(), axes.end());
  } else {
    for (int i = 0; i < shape->rank(); ++i) axes.push_back(i);
  }
  return Without(trace, *shape, axes, keepdims);
}

struct TwoShapes {
  Shape a, b;
};

std::optional<TwoShapes> BothShapes(const BoundArgs& args, absl::string_view a,
                                    absl::string_view b) {
  const std::optional<Shape> first = ShapeOfValue(args[a]);
  const std::optional<Shape> second = ShapeOfValue(args[b]);
  if (!first || !second) return std::nullopt;
  return TwoShapes{*first, *second};
}

MaybeShape Overlap(symbolic::TraceContext& trace, const BoundArgs& args,
                   absl::string_view default_mode) {
  const auto shapes = BothShapes(args, "a", "v");
  if (!shapes || shapes->a.rank() != 1 || shapes->b.rank() != 1) return std::nullopt;
  const Size one = ConstantSize(trace, 1);
  Size longer = shapes->a.at(0);
  Size shorter = shapes->b.at(0);
  if (IsLess(trace, longer, shorter)) std::swap(longer, shorter);
  if (IsLess(trace, shorter, one)) return symbolic::RaisingBreak("a convolution of nothing");
  const auto is_mode = [&](absl::string_view mode) {
    return args["mode"] == nullptr ? mode == default_mode
                                   : args.RefuseUnlessText("mode", mode).ok();
  };
  Shape result;
  if (is_mode("full")) {
    const Size sum = Apply(trace, ScalarOp::kAdd, longer, shorter);
    result.push_back(Apply(trace, ScalarOp::kSub, sum, one));
  } else if (is_mode("same")) {
    result.push_back(longer);
  } else if (is_mode("valid")) {
    const Size difference = Apply(trace, ScalarOp::kSub, longer, shorter);
    result.push_back(Apply(trace, ScalarOp::kAdd, difference, one));
  } else {
    return std::nullopt;
  }
  return result;
}

// The labels of one operand or of the result: letters only.
bool AreLabels(absl::string_view labels) {
  return std::all_of(labels.begin(), labels.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

// "ij,jk" without "->": the labels that occur once, in order.
std::string ImpliedLabels(absl::string_view inputs) {
  std::map<char, int> count;
  for (const char c : inputs) count[c] += c != ',';
  std::string labels;
  for (const auto& [label, times] : count) {
    if (times == 1) labels.push_back(label);
  }
  return labels;
}

}  // namespace

MaybeShape BroadcastShapeOf(symbolic::TraceContext& trace,
                            absl::Span<symbolic::Value* const> values) {
  std::vector<Shape> shapes;
  for (symbolic::Value* value : values) {
    const std::optional<Shape> shape = ShapeOfValue(value);
    if (!shape) return std::nullopt;
    shapes.push_back(*shape);
  }
  DYNACC_ASSIGN_OR_RETURN(Shape result, BroadcastShapes(trace, shapes));
  return result;
}

MaybeShape TriedOut(symbolic::TraceContext&, const BoundArgs&) { return std::nullopt; }

MaybeShape LikeFirst(symbolic::TraceContext&, const BoundArgs& args) {
  return ShapeOfValue(args.First());
}

MaybeShape Clipped(symbolic::TraceContext& trace, const BoundArgs& args) {
  std::vector<symbolic::Value*> values = {args.First()};
  for (const char* name : {"a_min", "a_max", "min", "max"}) {
    if (symbolic::Value* bound = args.GivenOrNull(name)) values.push_back(bound);
  }
  if (values[0] == nullptr || values.size() == 1)
    return symbolic::GraphBreak("clip without bounds");
  return BroadcastShapeOf(trace, values);
}

MaybeShape LikeValues(symbolic::TraceContext&, const BoundArgs& args) {
  return ShapeOfValue(args["v"]);
}

MaybeShape LikePoints(symbolic::TraceContext&, const BoundArgs& args) {
  return ShapeOfValue(args["x"]);
}

MaybeShape LikeRightSide(symbolic::TraceContext&, const BoundArgs& args) {
  return ShapeOfValue(args["b"]);
}

MaybeShape ToScalar(symbolic::TraceContext&, const BoundArgs&) { return Shape(); }

MaybeShape Flattened(symbolic::TraceContext& trace, const BoundArgs& args) {
  const std::optional<Shape> shape = ShapeOfValue(args.First());
  if (!shape) return std::nullopt;
  return Flat(trace, *shape);
}

MaybeShape AlongAxis(symbolic::TraceContext& trace, const BoundArgs& args) {
  const bool flat = args["axis"] != nullptr && IsNone(args["axis"]);
  return flat ? Flattened(trace, args) : LikeFirst(trace, args);
}

MaybeShape AlongAxisOrFlat(symbolic::TraceContext& trace, const BoundArgs& args) {
  return args.GivenOrNull("axis") == nullptr ? Flattened(trace, args) : LikeFirst(trace, args);
}

MaybeShape Reduced(symbolic::TraceContext& trace, const BoundArgs& args) {
  return ReducedOver(trace, args, args.GivenOrNull("axis"));
}

MaybeShape Averaged(symbolic::TraceContext& trace, const BoundArgs& args) {
  const std::optional<Shape> shape = ShapeOfValue(args.First());
  if (!shape) return std::nullopt;
  Size count = ConstantSize(trace, 1);
  std::vector<int64_t> axes;
  if (symbolic::Value* axis = args.GivenOrNull("axis")) {
    DYNACC_ASSIGN_OR_RETURN(axes, AxesFrom(trace, axis, shape->rank()));
  } else {
    for (int i = 0; i < shape->rank(); ++i) axes.push_back(i);
  }
  for (const int64_t axis : axes) {
    count = Apply(trace, ScalarOp::kMul, count, shape->at(static_cast<int>(axis)));
  }
  Size ddof = ConstantSize(trace, 0);
  symbolic::Value* const given = args["ddof"] != nullptr ? args["ddof"] : args["correction"];
  if (given != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(ddof, SizeFrom(trace, given));
  }
  // NumPy warns of those.
  if (!IsLess(trace, ddof, count)) return symbolic::GraphBreak("an average of too few elements");
  return Reduced(trace, args);
}

MaybeShape ReducedLast(symbolic::TraceContext& trace, const BoundArgs& args) {
  symbolic::Value* axis = args["axis"];
  if (axis == nullptr) axis = trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLong(-1)));
  return ReducedOver(trace, args, axis);
}

MaybeShape ReducedFirst(symbolic::TraceContext& trace, const BoundArgs& args) {
  symbolic::Value* axis = args["axis"];
  if (axis == nullptr) axis = trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLong(0)));
  return ReducedOver(trace, args, IsNone(axis) ? nullptr : axis);
}

MaybeShape OuterBroadcast(symbolic::TraceContext&, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "a", "b");
  if (!shapes) return std::nullopt;
  return Joined(shapes->a, shapes->b);
}

// By one number, or for each of an array or a list of numbers, along axes before the others.
MaybeShape ReducedByNumber(symbolic::TraceContext& trace, const BoundArgs& args) {
  std::optional<Shape> q = ShapeOfValue(args["q"]);
  const auto items = q || args["q"] == nullptr ? std::nullopt : ItemsOf(trace, args["q"]);
  if (items && absl::c_all_of(*items, IsNumber)) {
    q.emplace();
    q->push_back(ConstantSize(trace, static_cast<int64_t>(items->size())));
  }
  if (!q) return std::nullopt;
  DYNACC_ASSIGN_OR_RETURN(const std::optional<Shape> reduced, Reduced(trace, args));
  if (!reduced) return std::nullopt;
  return Joined(*q, *reduced);
}

MaybeShape Dot(symbolic::TraceContext& trace, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "a", "b");
  if (!shapes) return std::nullopt;
  const auto& [a, b] = *shapes;
  if (a.rank() == 0 || b.rank() == 0) return a.rank() == 0 ? b : a;
  const int inner = std::max(b.rank() - 2, 0);
  if (!IsEqual(trace, a.at(a.rank() - 1), b.at(inner))) {
    return symbolic::RaisingBreak("shapes that do not fit a matrix product");
  }
  const Shape left = Joined(Part(a, 0, a.rank() - 1), Part(b, 0, b.rank() - 2));
  return b.rank() == 1 ? left : Joined(left, Part(b, b.rank() - 1, b.rank()));
}

MaybeShape MatrixProduct(symbolic::TraceContext& trace, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "x1", "x2");
  if (!shapes || shapes->a.rank() == 0 || shapes->b.rank() == 0) return std::nullopt;
  const auto& [a, b] = *shapes;
  if (!IsEqual(trace, a.at(a.rank() - 1), b.at(std::max(b.rank() - 2, 0)))) {
    return symbolic::RaisingBreak("shapes that do not fit a matrix product");
  }
  DYNACC_ASSIGN_OR_RETURN(
      Shape shape, BroadcastShapes(trace, {Part(a, 0, a.rank() - 2), Part(b, 0, b.rank() - 2)}));
  if (a.rank() > 1) shape.push_back(a.at(a.rank() - 2));
  if (b.rank() > 1) shape.push_back(b.at(b.rank() - 1));
  return shape;
}

namespace {

// The shape of sums of products over an axis of matrices (the last two axes) or vectors (the last).
MaybeShape ProductsOver(symbolic::TraceContext& trace, const BoundArgs& args, int a_axes,
                        int b_axes) {
  const auto shapes = BothShapes(args, "x1", "x2");
  if (!shapes || args.GivenOrNull("axis") != nullptr) return std::nullopt;
  const auto& [a, b] = *shapes;
  if (a.rank() < a_axes || b.rank() < b_axes)
    return symbolic::RaisingBreak("a product of too few axes");
  DYNACC_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(trace, {Part(a, 0, a.rank() - a_axes),
                                                               Part(b, 0, b.rank() - b_axes)}));
  if (a_axes == 2) shape.push_back(a.at(a.rank() - 2));
  if (b_axes == 2) shape.push_back(b.at(b.rank() - 1));
  return shape;
}

}  // namespace

MaybeShape VectorsWithVectors(symbolic::TraceContext& trace, const BoundArgs& args) {
  return ProductsOver(trace, args, 1, 1);
}
MaybeShape MatricesWithVectors(symbolic::TraceContext& trace, const BoundArgs& args) {
  return ProductsOver(trace, args, 2, 1);
}
MaybeShape VectorsWithMatrices(symbolic::TraceContext& trace, const BoundArgs& args) {
  return ProductsOver(trace, args, 1, 2);
}

MaybeShape Inner(symbolic::TraceContext&, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "a", "b");
  if (!shapes) return std::nullopt;
  const auto& [a, b] = *shapes;
  if (a.rank() == 0 || b.rank() == 0) return a.rank() == 0 ? b : a;
  return Joined(Part(a, 0, a.rank() - 1), Part(b, 0, b.rank() - 1));
}

MaybeShape Outer(symbolic::TraceContext& trace, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "a", "b");
  if (!shapes) return std::nullopt;
  return Joined(Flat(trace, shapes->a), Flat(trace, shapes->b));
}

MaybeShape Einsum(symbolic::TraceContext&, const BoundArgs& args) {
  const absl::Span<symbolic::Value* const> all = args.rest();
  auto* text = all.empty() ? nullptr : symbolic::As<symbolic::ConstantValue>(all[0]);
  if (text == nullptr || !PyUnicode_CheckExact(text->object.get())) return std::nullopt;
  const std::string whole = absl::StrReplaceAll(PyUnicode_AsUTF8(text->object.get()), {{" ", ""}});
  const std::vector<std::string> sides = absl::StrSplit(whole, "->");
  const std::vector<std::string> inputs = absl::StrSplit(sides[0], ',');
  const std::string output = sides.size() == 2 ? sides[1] : ImpliedLabels(sides[0]);
  if (sides.size() > 2 || inputs.size() + 1 != all.size() || !AreLabels(output)) {
    return std::nullopt;
  }
  std::map<char, Size> sizes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::optional<Shape> shape = ShapeOfValue(all[i + 1]);
    if (!shape || !AreLabels(inputs[i]) || shape->rank() != static_cast<int>(inputs[i].size())) {
      return std::nullopt;
    }
    for (int axis = 0; axis < shape->rank(); ++axis) {
      const auto [place, is_new] = sizes.emplace(inputs[i][axis], shape->at(axis));
      if (!is_new && place->second.hint == 1) place->second = shape->at(axis);
    }
  }
  Shape result;
  for (const char label : output) {
    if (!sizes.contains(label)) return std::nullopt;
    result.push_back(sizes[label]);
  }
  return result;
}

MaybeShape Convolved(symbolic::TraceContext& trace, const BoundArgs& args) {
  return Overlap(trace, args, "full");
}

MaybeShape Correlated(symbolic::TraceContext& trace, const BoundArgs& args) {
  return Overlap(trace, args, "valid");
}

// Of rows, or of two vectors. One row, or a vector alone, gives a number.
MaybeShape Covariance(symbolic::TraceContext& trace, const BoundArgs& args) {
  const std::optional<Shape> first = args.First() ? ShapeOfValue(args.First()) : std::nullopt;
  symbolic::Value* const given = args.GivenOrNull("y");
  const std::optional<Shape> second = given ? ShapeOfValue(given) : Shape();
  if (!first || !second || first->rank() == 0 || args["rowvar"] != nullptr) return std::nullopt;
  Shape shape;
  if (given != nullptr) {
    if (first->rank() != 1 || second->rank() != 1) return std::nullopt;
    shape.push_back(ConstantSize(trace, 2));
  } else if (first->rank() == 2) {
    if (IsEqual(trace, first->at(0), ConstantSize(trace, 1))) return Shape();
    shape.push_back(first->at(0));
  } else {
    return Shape();
  }
  return Joined(shape, shape);
}

MaybeShape Traced(symbolic::TraceContext&, const BoundArgs& args) {
  const std::optional<Shape> shape = ShapeOfValue(args.First());
  if (!shape || shape->rank() != 2) return std::nullopt;
  return Shape();
}

// Of vectors of three elements along the last axis.
MaybeShape Crossed(symbolic::TraceContext& trace, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "a", "b");
  const bool along_last = args["axisa"] == nullptr && args["axisb"] == nullptr &&
                          args["axisc"] == nullptr && args.GivenOrNull("axis") == nullptr;
  if (!shapes || !along_last || shapes->a.rank() == 0 || shapes->b.rank() == 0) return std::nullopt;
  const auto& [a, b] = *shapes;
  const Size three = ConstantSize(trace, 3);
  if (!IsEqual(trace, a.at(a.rank() - 1), three) || !IsEqual(trace, b.at(b.rank() - 1), three)) {
    return std::nullopt;
  }
  return BroadcastShapes(trace, {a, b});
}

MaybeShape Selected(symbolic::TraceContext& trace, const BoundArgs& args) {
  std::vector<symbolic::Value*> values;
  for (const char* name : {"condlist", "choicelist"}) {
    const auto items = args[name] == nullptr ? std::nullopt : ItemsOf(trace, args[name]);
    if (!items) return std::nullopt;
    values.insert(values.end(), items->begin(), items->end());
  }
  if (args["default"] != nullptr) values.push_back(args["default"]);
  DYNACC_ASSIGN_OR_RETURN(const std::optional<Shape> shape, BroadcastShapeOf(trace, values));
  if (!shape || shape->rank() == 0) return std::nullopt;
  return shape;
}

MaybeShape TakenAlong(symbolic::TraceContext& trace, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "arr", "indices");
  symbolic::Value* const given = args.GivenOrNull("axis");
  if (!shapes || given == nullptr || shapes->a.rank() != shapes->b.rank()) return std::nullopt;
  DYNACC_ASSIGN_OR_RETURN(const int64_t axis, AxisFrom(trace, given, shapes->a.rank()));
  Shape array = shapes->a;
  array.ids[axis] = ConstantSize(trace, 1).id;
  array.hints[axis] = 1;
  return BroadcastShapes(trace, {array, shapes->b});
}

MaybeShape TensorProduct(symbolic::TraceContext& trace, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "a", "b");
  auto* const axes = symbolic::As<symbolic::ConstantValue>(args["axes"]);
  if (!shapes || (args["axes"] != nullptr && axes == nullptr)) return std::nullopt;
  if (axes != nullptr && !PyLong_CheckExact(axes->object.get())) return std::nullopt;
  const long count = axes == nullptr ? 2 : PyLong_AsLong(axes->object.get());
  PyErr_Clear();
  const auto& [a, b] = *shapes;
  if (count < 0 || count > a.rank() || count > b.rank()) return std::nullopt;
  const int summed = static_cast<int>(count);
  for (int i = 0; i < summed; ++i) {
    if (!IsEqual(trace, a.at(a.rank() - summed + i), b.at(i))) {
      return symbolic::RaisingBreak("shapes that do not fit a product");
    }
  }
  return Joined(Part(a, 0, a.rank() - summed), Part(b, summed, b.rank()));
}

MaybeShape Taken(symbolic::TraceContext& trace, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "a", "indices");
  if (!shapes) return std::nullopt;
  const auto& [a, indices] = *shapes;
  symbolic::Value* given = args.GivenOrNull("axis");
  if (given == nullptr) return indices;
  DYNACC_ASSIGN_OR_RETURN(const int64_t axis, AxisFrom(trace, given, a.rank()));
  const int place = static_cast<int>(axis);
  return Joined(Joined(Part(a, 0, place), indices), Part(a, place + 1, a.rank()));
}

MaybeShape Range(symbolic::TraceContext& trace, const BoundArgs& args) {
  auto* number = symbolic::As<symbolic::NumberValue>(args["start"]);
  if (number == nullptr || number->type != ScalarType::kInt || args["stop"] != nullptr ||
      args["step"] != nullptr) {
    return std::nullopt;
  }
  const Size length = {number->id, number->hint.i};
  const Size zero = ConstantSize(trace, 0);
  Shape shape;
  shape.push_back(IsLess(trace, length, zero) ? zero : length);
  return shape;
}

MaybeShape OfConstantBins(symbolic::TraceContext& trace, const BoundArgs& args) {
  // An estimator's name lets the values decide how many bins there are.
  const bool is_list = args["bins"] != nullptr && ItemsOf(trace, args["bins"]).has_value();
  const std::optional<Shape> bins = args["bins"] ? ShapeOfValue(args["bins"]) : Shape();
  if (!bins && !is_list) return symbolic::GraphBreak("bins that are not given as numbers");
  return std::nullopt;
}

MaybeShape LikeKey(symbolic::TraceContext& trace, const BoundArgs& args) {
  if (auto* table = symbolic::As<symbolic::TensorValue>(args.First());
      table && table->node->rank() > 1) {
    return Part(ShapeOf(table), 1, table->node->rank());
  }
  if (args.First() == nullptr) return std::nullopt;
  const auto keys = ItemsOf(trace, args.First());
  return keys && !keys->empty() ? ShapeOfValue(keys->front()) : std::nullopt;
}

MaybeShape OfDegree(symbolic::TraceContext& trace, const BoundArgs& args) {
  const std::optional<Shape> y = args["y"] == nullptr ? std::nullopt : ShapeOfValue(args["y"]);
  if (!y || args["deg"] == nullptr) return std::nullopt;
  DYNACC_ASSIGN_OR_RETURN(const int64_t degree, trace.ConstantInt(args["deg"]));
  if (degree < 0 || y->rank() == 0) return symbolic::RaisingBreak("a polynomial of no degree");
  Shape first;
  first.push_back(ConstantSize(trace, degree + 1));
  return Joined(first, Part(*y, 1, y->rank()));
}

// Of zeros that are not real the values decide whether the coefficients are.
MaybeShape OfRealZeros(symbolic::TraceContext& trace, const BoundArgs& args) {
  auto* const zeros = symbolic::As<symbolic::TensorValue>(args.First());
  if (zeros == nullptr || zeros->node->rank() != 1 || IsComplex(zeros->node->dtype)) {
    return symbolic::GraphBreak("a polynomial that may be real or complex");
  }
  const Size count = SizeOf(zeros, 0);
  if (IsEqual(trace, count, ConstantSize(trace, 0)))
    return symbolic::GraphBreak("a polynomial of no zeros");
  Shape shape;
  shape.push_back(Apply(trace, ScalarOp::kAdd, count, ConstantSize(trace, 1)));
  return shape;
}

// Where a factor begins with zeros the product is shorter, and a run ends there.
MaybeShape Multiplied(symbolic::TraceContext& trace, const BoundArgs& args) {
  const auto factors = BothShapes(args, "a1", "a2");
  if (!factors || factors->a.rank() != 1 || factors->b.rank() != 1) return std::nullopt;
  const Size one = ConstantSize(trace, 1);
  const Size degree = Apply(trace, ScalarOp::kSub, factors->a.at(0), one);
  if (IsLess(trace, degree, ConstantSize(trace, 0)) || IsLess(trace, factors->b.at(0), one)) {
    return symbolic::GraphBreak("a product of no coefficients");
  }
  Shape shape;
  shape.push_back(Apply(trace, ScalarOp::kAdd, factors->b.at(0), degree));
  return shape;
}

MaybeShape Counted(symbolic::TraceContext& trace, const BoundArgs& args) {
  // At least so many; a run with more of them ends there.
  symbolic::Value* const given = args.GivenOrNull("minlength");
  if (given == nullptr) return symbolic::GraphBreak("as many bins as the values say");
  DYNACC_ASSIGN_OR_RETURN(const Size bins, SizeFrom(trace, given));
  if (IsLess(trace, bins, ConstantSize(trace, 1))) return symbolic::GraphBreak("no bins");
  Shape shape;
  shape.push_back(bins);
  return shape;
}

MaybeShape Tiled(symbolic::TraceContext& trace, const BoundArgs& args) {
  const std::optional<Shape> tile = ShapeOfValue(args.First());
  if (!tile || args["reps"] == nullptr) return std::nullopt;
  DYNACC_ASSIGN_OR_RETURN(const Shape counts, ShapeFrom(trace, args["reps"]));
  Shape shape;
  const int rank = std::max(tile->rank(), counts.rank());
  for (int axis = 0; axis < rank; ++axis) {
    const int own = axis - (rank - tile->rank());
    const int counted = axis - (rank - counts.rank());
    const Size one = ConstantSize(trace, 1);
    const Size count = counted < 0 ? one : counts.at(counted);
    if (IsLess(trace, count, ConstantSize(trace, 0)))
      return symbolic::RaisingBreak("a negative size");
    shape.push_back(Apply(trace, ScalarOp::kMul, own < 0 ? one : tile->at(own), count));
  }
  return shape;
}

// An axis of `size` whose elements are repeated as often as the list says of each.
absl::StatusOr<Size> RepeatedByList(symbolic::TraceContext& trace, Size size,
                                    const symbolic::ListValue& list) {
  int64_t sum = 0;
  for (symbolic::Value* item : list.items) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t count, KnownInt(trace, item));
    if (count < 0) return symbolic::RaisingBreak("a negative size");
    if (__builtin_add_overflow(sum, count, &sum)) return symbolic::GraphBreak("a large number");
  }
  const auto length = static_cast<int64_t>(list.items.size());
  if (length == 1) return Apply(trace, ScalarOp::kMul, size, ConstantSize(trace, sum));
  if (!IsEqual(trace, size, ConstantSize(trace, length)))
    return symbolic::RaisingBreak("repeats of another length");
  return ConstantSize(trace, sum);
}

absl::StatusOr<Size> RepeatedAxis(symbolic::TraceContext& trace, Size size,
                                  symbolic::Value* repeats) {
  if (auto* const list = symbolic::As<symbolic::ListValue>(repeats)) {
    return RepeatedByList(trace, size, *list);
  }
  DYNACC_ASSIGN_OR_RETURN(const Size count, SizeFrom(trace, repeats));
  if (IsLess(trace, count, ConstantSize(trace, 0)))
    return symbolic::RaisingBreak("a negative size");
  return Apply(trace, ScalarOp::kMul, size, count);
}

MaybeShape Repeated(symbolic::TraceContext& trace, const BoundArgs& args) {
  const std::optional<Shape> whole = ShapeOfValue(args.First());
  symbolic::Value* const repeats = args["repeats"];
  const bool is_known = repeats != nullptr &&
                        (symbolic::As<symbolic::NumberValue>(repeats) ||
                         symbolic::As<symbolic::ConstantValue>(repeats) || IsListOfInts(repeats));
  if (!whole || !is_known) return std::nullopt;
  symbolic::Value* const given = args.GivenOrNull("axis");
  Shape shape = given == nullptr ? Flat(trace, *whole) : *whole;
  int64_t axis = 0;
  if (given != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(axis, AxisFrom(trace, given, whole->rank()));
  }
  DYNACC_ASSIGN_OR_RETURN(const Size longer,
                          RepeatedAxis(trace, shape.at(static_cast<int>(axis)), repeats));
  shape.ids[axis] = longer.id;
  shape.hints[axis] = longer.hint;
  return shape;
}

MaybeShape OfVector(symbolic::TraceContext&, const BoundArgs& args) {
  const std::optional<Shape> shape = ShapeOfValue(args.First());
  if (!shape || shape->rank() != 1) return symbolic::GraphBreak("a view of a diagonal");
  return std::nullopt;
}

MaybeShape OfMatrices(symbolic::TraceContext&, const BoundArgs& args) {
  const std::optional<Shape> shape = ShapeOfValue(args.First());
  if (!shape) return std::nullopt;
  return Part(*shape, 0, shape->rank() - 2);
}

MaybeShape OfMatrixRows(symbolic::TraceContext&, const BoundArgs& args) {
  const std::optional<Shape> shape = ShapeOfValue(args.First());
  if (!shape) return std::nullopt;
  return Part(*shape, 0, shape->rank() - 1);
}

MaybeShape OfGivenShape(symbolic::TraceContext& trace, const BoundArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * given, args.Required("shape"));
  DYNACC_ASSIGN_OR_RETURN(Shape shape, ShapeFrom(trace, given));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (IsLess(trace, shape.at(axis), ConstantSize(trace, 0))) {
      return symbolic::RaisingBreak("a negative size");
    }
  }
  return shape;
}

// The last axes, from `ind` on, before the others.
MaybeShape TensorInverse(symbolic::TraceContext& trace, const BoundArgs& args) {
  const std::optional<Shape> shape = ShapeOfValue(args.First());
  if (!shape) return std::nullopt;
  int64_t first = 2;
  if (symbolic::Value* given = args["ind"]) {
    DYNACC_ASSIGN_OR_RETURN(first, AxisFrom(trace, given, shape->rank()));
  }
  if (first < 1 || first >= shape->rank()) return symbolic::RaisingBreak("an inverse of no tensor");
  const int split = static_cast<int>(first);
  return Joined(Part(*shape, split, shape->rank()), Part(*shape, 0, split));
}

// What is left of the axes of `a` behind those of `b`.
MaybeShape TensorSolution(symbolic::TraceContext&, const BoundArgs& args) {
  const auto shapes = BothShapes(args, "a", "b");
  if (!shapes || args.GivenOrNull("axes") != nullptr) return std::nullopt;
  if (shapes->b.rank() == 0 || shapes->b.rank() >= shapes->a.rank()) return std::nullopt;
  return Part(shapes->a, shapes->b.rank(), shapes->a.rank());
}

MaybeShape Transformed(symbolic::TraceContext& trace, const BoundArgs& args) {
  if (args.GivenOrNull("n") != nullptr) return std::nullopt;
  return LikeFirst(trace, args);
}

MaybeShape TransformedWhole(symbolic::TraceContext& trace, const BoundArgs& args) {
  if (args.GivenOrNull("s") != nullptr) return std::nullopt;
  return LikeFirst(trace, args);
}

MaybeShape TwoBroadcast(symbolic::TraceContext& trace, const BoundArgs& args) {
  return BroadcastShapeOf(trace, {args["a"], args["b"]});
}

MaybeShape ThreeBroadcast(symbolic::TraceContext& trace, const BoundArgs& args) {
  return BroadcastShapeOf(trace, {args["condition"], args["x"], args["y"]});
}

}  // namespace dynacc::numpy
