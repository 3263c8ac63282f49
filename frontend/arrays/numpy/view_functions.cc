// Functions whose results are views in another order or of a part: flip, rot90, split and their
// kin.
#include <algorithm>
#include <numeric>

#include "frontend/arrays/numpy/arguments.h"
#include "frontend/arrays/numpy/function_table.h"
#include "frontend/arrays/numpy/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// A split into more parts than this is left to NumPy.
constexpr int64_t kMaxParts = 64;

absl::StatusOr<NumpyTensor*> ArrayFrom(const BoundArgs& args, absl::string_view name) {
  DYNACC_ASSIGN_OR_RETURN(TensorValue * a, args.Tensor(name));
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  if (a->node->rank() == 0) return GraphBreak("a view of an array of rank 0");
  return AsNumpy(a);
}

// A view that keeps all axes of its base, in their order.
class AxiswiseView {
 public:
  AxiswiseView(TraceContext& trace, NumpyTensor* base)
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
    const Node* node = trace_.graph().View(base_->node, shape_.ids, axes, starts_, steps_);
    return NewViewTensor(trace_, base_, node, shape_, c_order);
  }

 private:
  TraceContext& trace_;
  NumpyTensor* base_;
  Shape shape_;
  std::vector<ScalarId> starts_;
  std::vector<ScalarId> steps_;
};

// A reversed slice of no elements starts where no element is: left to NumPy.
absl::Status RequireElements(TraceContext& trace, const NumpyTensor* a,
                             absl::Span<const int64_t> axes) {
  for (const int64_t axis : axes) {
    const Size size = SizeOf(a, static_cast<int>(axis));
    if (IsEqual(trace, size, ConstantSize(trace, 0))) return GraphBreak("a view of no elements");
  }
  return absl::OkStatus();
}

absl::StatusOr<NumpyTensor*> Flipped(TraceContext& trace, NumpyTensor* a,
                                     absl::Span<const int64_t> axes) {
  DYNACC_RETURN_IF_ERROR(RequireElements(trace, a, axes));
  AxiswiseView view(trace, a);
  for (const int64_t axis : axes) view.Reverse(axis);
  return view.Make(axes.empty() ? a->c_order : std::nullopt);
}

absl::StatusOr<Value*> FlipAxis(TraceContext& trace, const BoundArgs& args, int axis) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "m"));
  if (a->node->rank() <= axis) return RaisingBreak("a flip of an axis that is not there");
  const int64_t axes[] = {axis};
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, Flipped(trace, a, axes));
  return view;
}

NumpyTensor* Exchanged(TraceContext& trace, NumpyTensor* a, int64_t first, int64_t second) {
  std::vector<int64_t> permutation(a->node->rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[first], permutation[second]);
  return TransposedView(trace, a, permutation);
}

// The list of equal parts along `axis`.
absl::StatusOr<Value*> Split(TraceContext& trace, const BoundArgs& args, NumpyTensor* a, int axis) {
  DYNACC_ASSIGN_OR_RETURN(Value * sections, args.Required("indices_or_sections"));
  DYNACC_ASSIGN_OR_RETURN(const int64_t count, trace.ConstantInt(sections));
  if (count <= 0) return RaisingBreak("a split into no parts");
  if (count > kMaxParts) return GraphBreak("a split into many parts");
  const Size zero = ConstantSize(trace, 0);
  const Size parts = ConstantSize(trace, count);
  const Size rest = Apply(trace, ScalarOp::kMod, SizeOf(a, axis), parts);
  if (!IsEqual(trace, rest, zero)) return GraphBreak("a split into unequal parts");
  const Size length = Apply(trace, ScalarOp::kFloorDiv, SizeOf(a, axis), parts);
  if (IsEqual(trace, length, zero)) return GraphBreak("a view of no elements");
  std::vector<Value*> views;
  for (int64_t i = 0; i < count; ++i) {
    AxiswiseView view(trace, a);
    view.Narrow(axis, Apply(trace, ScalarOp::kMul, ConstantSize(trace, i), length), length);
    views.push_back(view.Make(axis == 0 ? a->c_order : std::nullopt));
  }
  return trace.New<ListValue>(std::move(views));
}

}  // namespace

absl::StatusOr<Value*> TraceFlip(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "m"));
  std::vector<int64_t> axes(a->node->rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (Value* axis = args.GivenOrNull("axis")) {
    DYNACC_ASSIGN_OR_RETURN(axes, AxesFrom(trace, axis, a->node->rank()));
  }
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, Flipped(trace, a, axes));
  return view;
}

absl::StatusOr<Value*> TraceFlipRows(TraceContext& trace, const BoundArgs& args, Op) {
  return FlipAxis(trace, args, 0);
}

absl::StatusOr<Value*> TraceFlipColumns(TraceContext& trace, const BoundArgs& args, Op) {
  return FlipAxis(trace, args, 1);
}

absl::StatusOr<Value*> TraceRot90(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * m, ArrayFrom(args, "m"));
  const int rank = m->node->rank();
  if (rank < 2) return RaisingBreak("a rotation of too few axes");
  std::vector<int64_t> axes = {0, 1};
  if (Value* given = args["axes"]) {
    DYNACC_ASSIGN_OR_RETURN(axes, AxesFrom(trace, given, rank));
    if (axes.size() != 2) return RaisingBreak("a rotation in other than two axes");
  }
  int64_t turns = 1;
  if (Value* given = args["k"]) {
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

absl::StatusOr<Value*> TraceSplit(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "ary"));
  int64_t axis = 0;
  if (Value* given = args["axis"]) {
    DYNACC_ASSIGN_OR_RETURN(axis, AxisFrom(trace, given, a->node->rank()));
  }
  return Split(trace, args, a, static_cast<int>(axis));
}

// np.hsplit: along the columns, or the elements of a vector.
absl::StatusOr<Value*> TraceSplitColumns(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "ary"));
  return Split(trace, args, a, a->node->rank() > 1 ? 1 : 0);
}

// np.vsplit
absl::StatusOr<Value*> TraceSplitRows(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "ary"));
  if (a->node->rank() < 2) return RaisingBreak("a split of too few axes");
  return Split(trace, args, a, 0);
}

}  // namespace dynacc
