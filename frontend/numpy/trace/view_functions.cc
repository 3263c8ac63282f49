// Functions whose results are views in another order or of a part: flip, rot90, split and their
// kin.
#include <algorithm>
#include <numeric>

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/data_dependent_place.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/slice_bounds.h"
#include "frontend/numpy/trace/subscript.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// A split into more parts than this is left to NumPy.
constexpr int64_t kMaxParts = 64;

absl::StatusOr<NumpyTensor*> ArrayFrom(const BoundArgs& args, absl::string_view name) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor(name));
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  if (a->node->rank() == 0) return symbolic::GraphBreak("a view of an array of rank 0");
  return AsNumpy(a);
}

// A view that keeps all axes of its base, in their order.
class AxiswiseView {
 public:
  AxiswiseView(symbolic::TraceContext& trace, NumpyTensor* base)
      : trace_(trace), base_(base), shape_(ShapeOf(base)) {
    ScalarProgram& scalars = trace.graph().scalars();
    starts_.assign(shape_.rank(), scalars.Int(0));
    steps_.assign(shape_.rank(), scalars.Int(1));
  }

  void Reverse(int64_t axis) {
    const Size last =
        Apply(trace_, ScalarOp::kSub, shape_.at(static_cast<int>(axis)), ConstantSize(trace_, 1));
    starts_[axis] = last.id;
    steps_[axis] = trace_.graph().scalars().Int(-1);
  }

  void Narrow(int axis, Size start, Size length) {
    starts_[axis] = start.id;
    shape_.ids[axis] = length.id;
    shape_.hints[axis] = length.hint;
  }

  NumpyTensor* Make(const COrder& c_order) {
    std::vector<int64_t> axes(shape_.rank());
    std::iota(axes.begin(), axes.end(), 0);
    const ir::Node* node = trace_.graph().View(base_->node, shape_.ids, axes, starts_, steps_);
    return NewViewTensor(trace_, base_, node, shape_, c_order);
  }

 private:
  symbolic::TraceContext& trace_;
  NumpyTensor* base_;
  Shape shape_;
  std::vector<ScalarId> starts_;
  std::vector<ScalarId> steps_;
};

// A reversed slice of no elements starts where no element is: left to NumPy.
absl::Status RequireElements(symbolic::TraceContext& trace, const NumpyTensor* a,
                             absl::Span<const int64_t> axes) {
  for (const int64_t axis : axes) {
    const Size size = SizeOf(a, static_cast<int>(axis));
    if (IsEqual(trace, size, ConstantSize(trace, 0)))
      return symbolic::GraphBreak("a view of no elements");
  }
  return absl::OkStatus();
}

absl::StatusOr<NumpyTensor*> Flipped(symbolic::TraceContext& trace, NumpyTensor* a,
                                     absl::Span<const int64_t> axes) {
  DYNACC_RETURN_IF_ERROR(RequireElements(trace, a, axes));
  AxiswiseView view(trace, a);
  for (const int64_t axis : axes) view.Reverse(axis);
  return view.Make(axes.empty() ? a->c_order : std::nullopt);
}

absl::StatusOr<symbolic::Value*> FlipAxis(symbolic::TraceContext& trace, const BoundArgs& args,
                                          int axis) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "m"));
  if (a->node->rank() <= axis) return symbolic::RaisingBreak("a flip of an axis that is not there");
  const int64_t axes[] = {axis};
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, Flipped(trace, a, axes));
  return view;
}

NumpyTensor* Exchanged(symbolic::TraceContext& trace, NumpyTensor* a, int64_t first,
                       int64_t second) {
  std::vector<int64_t> permutation(a->node->rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[first], permutation[second]);
  return TransposedView(trace, a, permutation);
}

// One part of a split.
struct Part {
  Size start;
  Size length;
};

symbolic::Value* ViewsOf(symbolic::TraceContext& trace, NumpyTensor* a, int axis,
                         absl::Span<const Part> parts) {
  std::vector<symbolic::Value*> views;
  for (const Part& part : parts) {
    AxiswiseView view(trace, a);
    view.Narrow(axis, part.start, part.length);
    views.push_back(view.Make(axis == 0 ? a->c_order : std::nullopt));
  }
  return trace.New<symbolic::ListValue>(std::move(views));
}

absl::Status RequireNotEmpty(symbolic::TraceContext& trace, Size length) {
  return IsEqual(trace, length, ConstantSize(trace, 0))
             ? symbolic::GraphBreak("a view of no elements")
             : absl::OkStatus();
}

// `count` parts, the first ones longer by one where they cannot be equal.
absl::StatusOr<std::vector<Part>> NearlyEqualParts(symbolic::TraceContext& trace, Size size,
                                                   int64_t count) {
  if (count <= 0) return symbolic::RaisingBreak("a split into no parts");
  if (count > kMaxParts) return symbolic::GraphBreak("a split into many parts");
  const Size divisor = ConstantSize(trace, count);
  const Size one = ConstantSize(trace, 1);
  const Size shorter = Apply(trace, ScalarOp::kFloorDiv, size, divisor);
  const Size rest = Apply(trace, ScalarOp::kMod, size, divisor);
  DYNACC_RETURN_IF_ERROR(RequireNotEmpty(trace, shorter));
  std::vector<Part> parts;
  Size start = ConstantSize(trace, 0);
  for (int64_t i = 0; i < count; ++i) {
    const bool is_longer = IsLess(trace, ConstantSize(trace, i), rest);
    const Size length = is_longer ? Apply(trace, ScalarOp::kAdd, shorter, one) : shorter;
    parts.push_back({start, length});
    start = Apply(trace, ScalarOp::kAdd, start, length);
  }
  return parts;
}

// What lies between 0, the indices and the end, as slices have it.
absl::StatusOr<std::vector<Part>> PartsBetween(symbolic::TraceContext& trace, Size size,
                                               absl::Span<symbolic::Value* const> indices) {
  if (indices.size() >= kMaxParts) return symbolic::GraphBreak("a split into many parts");
  symbolic::Value* const none = trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
  std::vector<Part> parts;
  symbolic::Value* from = none;
  for (size_t i = 0; i <= indices.size(); ++i) {
    symbolic::Value* to = none;
    if (i < indices.size()) {
      DYNACC_ASSIGN_OR_RETURN(to, BoundWithPlace(trace, indices[i], size));
      DYNACC_RETURN_IF_ERROR(SizeFrom(trace, to).status());
    }
    DYNACC_ASSIGN_OR_RETURN(const SliceBounds bounds, BoundsOf(trace, from, to, none, size));
    DYNACC_RETURN_IF_ERROR(RequireNotEmpty(trace, bounds.length));
    parts.push_back({bounds.start, bounds.length});
    from = to;
  }
  return parts;
}

// The elements of a vector of ints, one by one; nothing if the value is no vector, or a long one.
absl::StatusOr<std::optional<std::vector<symbolic::Value*>>> IntsOfVector(
    symbolic::TraceContext& trace, symbolic::Value* value) {
  auto* const vector = symbolic::As<symbolic::TensorValue>(value);
  if (vector == nullptr || vector->node->rank() != 1 || !IsInteger(vector->node->dtype)) {
    return std::nullopt;
  }
  const Size count = SizeOf(vector, 0);
  if (trace.IsDataDependent(count.id) || count.hint >= kMaxParts) return std::nullopt;
  IsEqual(trace, count, ConstantSize(trace, count.hint));
  std::vector<symbolic::Value*> items;
  for (int64_t i = 0; i < count.hint; ++i) {
    symbolic::Value* const place =
        trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLongLong(i)));
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NumpySubscript(trace, AsNumpy(vector), place));
    items.push_back(item);
  }
  return items;
}

// Where to split, if that is not a number of parts.
absl::StatusOr<std::optional<std::vector<symbolic::Value*>>> IndicesFrom(
    symbolic::TraceContext& trace, symbolic::Value* sections) {
  if (const auto items = ItemsOf(trace, sections)) return items;
  return IntsOfVector(trace, sections);
}

// The list of the parts along `axis`. `unequal`: they need not be equal.
absl::StatusOr<symbolic::Value*> Split(symbolic::TraceContext& trace, const BoundArgs& args,
                                       NumpyTensor* a, int axis, bool unequal = false) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * sections, args.Required("indices_or_sections"));
  const Size size = SizeOf(a, axis);
  DYNACC_ASSIGN_OR_RETURN(const auto indices, IndicesFrom(trace, sections));
  if (indices) {
    DYNACC_ASSIGN_OR_RETURN(const auto between, PartsBetween(trace, size, *indices));
    return ViewsOf(trace, a, axis, between);
  }
  DYNACC_ASSIGN_OR_RETURN(const Size given, SizeFrom(trace, sections));
  const int64_t count = given.hint;
  if (!IsEqual(trace, given, ConstantSize(trace, count)) || trace.IsDataDependent(given.id)) {
    return symbolic::GraphBreak("a split into parts of which only the run knows how many");
  }
  if (count > 0 && !unequal) {
    const Size rest = Apply(trace, ScalarOp::kMod, size, ConstantSize(trace, count));
    if (!IsEqual(trace, rest, ConstantSize(trace, 0))) {
      return symbolic::GraphBreak("a split into unequal parts");
    }
  }
  DYNACC_ASSIGN_OR_RETURN(const auto parts, NearlyEqualParts(trace, size, count));
  return ViewsOf(trace, a, axis, parts);
}

absl::StatusOr<symbolic::Value*> SplitAlongGiven(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, bool unequal) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "ary"));
  int64_t axis = 0;
  if (symbolic::Value* given = args["axis"]) {
    DYNACC_ASSIGN_OR_RETURN(axis, AxisFrom(trace, given, a->node->rank()));
  }
  return Split(trace, args, a, static_cast<int>(axis), unequal);
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceFlip(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "m"));
  std::vector<int64_t> axes(a->node->rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (symbolic::Value* axis = args.GivenOrNull("axis")) {
    DYNACC_ASSIGN_OR_RETURN(axes, AxesFrom(trace, axis, a->node->rank()));
  }
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, Flipped(trace, a, axes));
  return view;
}

absl::StatusOr<symbolic::Value*> TraceFlipRows(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  return FlipAxis(trace, args, 0);
}

absl::StatusOr<symbolic::Value*> TraceFlipColumns(symbolic::TraceContext& trace,
                                                  const BoundArgs& args, Op) {
  return FlipAxis(trace, args, 1);
}

absl::StatusOr<symbolic::Value*> TraceRot90(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * m, ArrayFrom(args, "m"));
  const int rank = m->node->rank();
  if (rank < 2) return symbolic::RaisingBreak("a rotation of too few axes");
  std::vector<int64_t> axes = {0, 1};
  if (symbolic::Value* given = args["axes"]) {
    DYNACC_ASSIGN_OR_RETURN(axes, AxesFrom(trace, given, rank));
    if (axes.size() != 2) return symbolic::RaisingBreak("a rotation in other than two axes");
  }
  int64_t turns = 1;
  if (symbolic::Value* given = args["k"]) {
    DYNACC_ASSIGN_OR_RETURN(turns, trace.ConstantInt(given));
  }
  turns = ((turns % 4) + 4) % 4;
  const int64_t second[] = {axes[1]};
  NumpyTensor* view = m;
  if (turns == 0 || turns == 2) {
    DYNACC_ASSIGN_OR_RETURN(view,
                            Flipped(trace, m, absl::MakeSpan(axes).first(turns == 2 ? 2 : 0)));
  } else if (turns == 1) {
    DYNACC_ASSIGN_OR_RETURN(view, Flipped(trace, m, second));
    view = Exchanged(trace, view, axes[0], axes[1]);
  } else {
    DYNACC_ASSIGN_OR_RETURN(view, Flipped(trace, Exchanged(trace, m, axes[0], axes[1]), second));
  }
  return view;
}

absl::StatusOr<symbolic::Value*> TraceSplit(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  return SplitAlongGiven(trace, args, /*unequal=*/false);
}

absl::StatusOr<symbolic::Value*> TraceArraySplit(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Op) {
  return SplitAlongGiven(trace, args, /*unequal=*/true);
}

// np.ix_ of arrays of indices: each along an axis of its own.
absl::StatusOr<symbolic::Value*> TraceIx(symbolic::TraceContext& trace, const BoundArgs& args, Op) {
  const absl::Span<symbolic::Value* const> all = args.rest();
  std::vector<symbolic::Value*> views;
  for (size_t i = 0; i < all.size(); ++i) {
    auto* const index = symbolic::As<symbolic::TensorValue>(all[i]);
    if (index == nullptr || index->is_scalar || index->node->rank() != 1 ||
        !IsInteger(index->node->dtype)) {
      return symbolic::GraphBreak("an index that is no vector of ints");
    }
    Shape shape;
    for (size_t axis = 0; axis < all.size(); ++axis) {
      shape.push_back(axis == i ? SizeOf(index, 0) : ConstantSize(trace, 1));
    }
    if (IsEqual(trace, SizeOf(index, 0), ConstantSize(trace, 0))) {
      return symbolic::GraphBreak("an index of no elements");
    }
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, ReshapedView(trace, AsNumpy(index), shape));
    views.push_back(view);
  }
  return trace.New<symbolic::TupleValue>(std::move(views));
}

// np.hsplit: along the columns, or the elements of a vector.
absl::StatusOr<symbolic::Value*> TraceSplitColumns(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "ary"));
  return Split(trace, args, a, a->node->rank() > 1 ? 1 : 0);
}

// np.vsplit
absl::StatusOr<symbolic::Value*> TraceSplitRows(symbolic::TraceContext& trace,
                                                const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "ary"));
  if (a->node->rank() < 2) return symbolic::RaisingBreak("a split of too few axes");
  return Split(trace, args, a, 0);
}

}  // namespace dynacc::numpy
