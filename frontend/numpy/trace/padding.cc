// np.pad in the modes that copy: the array, and strips that repeat or mirror it, stored into one.
#include <numeric>

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/known_int.h"
#include "frontend/numpy/trace/stores.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// Pads along more axes than this, of 3^n pieces, are left to NumPy.
constexpr int kMaxPaddedAxes = 2;

struct Widths {
  int64_t before;
  int64_t after;
};

// Where the strip of width w before, or after, an axis of size n shows it: from element `first` on,
// in steps of `step`.
struct Strip {
  Size first;
  int64_t step;
};

struct Mode {
  const char* name;
  int64_t step;      // of strips
  int64_t skipped;   // how many elements from its end a mirrored strip starts
  bool repeats;      // only the element at the end
  int64_t max_less;  // strips are at most so much shorter than the axis
};
constexpr Mode kModes[] = {
    {"edge", 0, 0, true, 0},
    {"wrap", 1, 0, false, 0},
    {"symmetric", -1, 0, false, 0},
    {"reflect", -1, 1, false, 1},
};

Size Minus(symbolic::TraceContext& trace, Size a, int64_t b) {
  return Apply(trace, ScalarOp::kSub, a, ConstantSize(trace, b));
}

// The first element that the strip before the axis, of width `width`, shows; or the one after it.
Size FirstOf(symbolic::TraceContext& trace, const Mode& mode, bool before, int64_t width,
             Size size) {
  if (mode.repeats) return before ? ConstantSize(trace, 0) : Minus(trace, size, 1);
  if (mode.step > 0) return before ? Minus(trace, size, width) : ConstantSize(trace, 0);
  return before ? ConstantSize(trace, width - 1 + mode.skipped)
                : Minus(trace, size, 1 + mode.skipped);
}

absl::StatusOr<Widths> WidthsFrom(symbolic::TraceContext& trace,
                                  absl::Span<symbolic::Value* const> values) {
  Widths widths;
  DYNACC_ASSIGN_OR_RETURN(widths.before, KnownInt(trace, values.front()));
  DYNACC_ASSIGN_OR_RETURN(widths.after, KnownInt(trace, values.back()));
  if (widths.before < 0 || widths.after < 0) return symbolic::RaisingBreak("a negative width");
  return widths;
}

// An int, (before, after), ((before, after),) or one of these for each axis.
absl::StatusOr<std::vector<Widths>> AllWidths(symbolic::TraceContext& trace, symbolic::Value* value,
                                              int rank) {
  const auto items = ItemsOf(trace, value);
  if (!items) {
    DYNACC_ASSIGN_OR_RETURN(const Widths widths, WidthsFrom(trace, {value}));
    return std::vector<Widths>(rank, widths);
  }
  if (items->empty()) return symbolic::GraphBreak("widths of another form");
  if (!ItemsOf(trace, items->front())) {
    if (items->size() > 2) return symbolic::GraphBreak("widths of another form");
    DYNACC_ASSIGN_OR_RETURN(const Widths widths, WidthsFrom(trace, *items));
    return std::vector<Widths>(rank, widths);
  }
  std::vector<Widths> all;
  for (symbolic::Value* item : *items) {
    const auto pair = ItemsOf(trace, item);
    if (!pair || pair->size() != 2) return symbolic::GraphBreak("widths of another form");
    DYNACC_ASSIGN_OR_RETURN(const Widths widths, WidthsFrom(trace, *pair));
    all.push_back(widths);
  }
  if (all.size() == 1) all.resize(rank, all[0]);
  if (static_cast<int>(all.size()) != rank) return symbolic::GraphBreak("widths of another form");
  return all;
}

class Padder {
 public:
  Padder(symbolic::TraceContext& trace, const NumpyTensor* a, std::vector<Widths> widths)
      : trace_(trace), a_(a), widths_(std::move(widths)), inner_(ShapeOf(a)) {
    for (int axis = 0; axis < inner_.rank(); ++axis) {
      const int64_t both = widths_[axis].before + widths_[axis].after;
      whole_.push_back(Apply(trace, ScalarOp::kAdd, inner_.at(axis), ConstantSize(trace, both)));
    }
  }

  const Shape& shape() const { return whole_; }

  const ir::Node* WithNumber(const ir::Node* number) {
    ir::Graph& graph = trace_.graph();
    result_ = graph.Full(number->dtype, ir::NumberOf(*number), whole_.ids);
    const Mode none = {"", 0, 0, true, 0};
    AddAxis(none, inner_.rank());
    return result_;
  }

  const ir::Node* WithStrips(const Mode& mode) {
    result_ = trace_.graph().Empty(a_->node->dtype, whole_.ids);
    AddAxis(mode, 0);
    return result_;
  }

 private:
  // Stores what lies in the strips and the inside of the axes from `axis` on; if `axis` is the
  // rank at once, all of the inside.
  void AddAxis(const Mode& mode, int axis) {
    if (axis == inner_.rank()) return StorePiece();
    const Widths& widths = widths_[axis];
    const Size size = inner_.at(axis);
    const Size zero = ConstantSize(trace_, 0);
    AddPiece(mode, axis, {zero, 1}, ConstantSize(trace_, widths.before), size);
    if (widths.before > 0) {
      const Strip strip = {FirstOf(trace_, mode, true, widths.before, size), mode.step};
      AddPiece(mode, axis, strip, zero, ConstantSize(trace_, widths.before));
    }
    if (widths.after > 0) {
      const Strip strip = {FirstOf(trace_, mode, false, widths.after, size), mode.step};
      const Size to = Minus(trace_, whole_.at(axis), widths.after);
      AddPiece(mode, axis, strip, to, ConstantSize(trace_, widths.after));
    }
  }

  void AddPiece(const Mode& mode, int axis, Strip from, Size to, Size size) {
    from_.push_back(from);
    to_.push_back(to.id);
    sizes_.push_back(size.id);
    AddAxis(mode, axis + 1);
    from_.pop_back();
    to_.pop_back();
    sizes_.pop_back();
  }

  void StorePiece() {
    ir::Graph& graph = trace_.graph();
    ScalarProgram& scalars = graph.scalars();
    const int rank = inner_.rank();
    std::vector<int64_t> axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    const std::vector<ScalarId> ones(rank, scalars.Int(1));
    if (from_.empty()) {
      std::vector<ScalarId> start;
      for (const Widths& widths : widths_) start.push_back(scalars.Int(widths.before));
      result_ = graph.Store(result_, a_->node, axes, start, ones);
      return;
    }
    std::vector<int64_t> seen = axes;
    std::vector<ScalarId> starts, steps;
    for (int axis = 0; axis < rank; ++axis) {
      starts.push_back(from_[axis].first.id);
      steps.push_back(scalars.Int(from_[axis].step));
      if (from_[axis].step == 0) seen[axis] = -1;
    }
    const ir::Node* const piece = graph.View(a_->node, sizes_, seen, starts, steps);
    result_ = graph.Store(result_, piece, axes, to_, ones);
  }

  symbolic::TraceContext& trace_;
  const NumpyTensor* a_;
  std::vector<Widths> widths_;
  Shape inner_;
  Shape whole_;
  const ir::Node* result_ = nullptr;
  std::vector<Strip> from_;
  std::vector<ScalarId> to_, sizes_;
};

absl::StatusOr<const Mode*> ModeFrom(symbolic::TraceContext& trace, const BoundArgs& args,
                                     const NumpyTensor* a, absl::Span<const Widths> widths) {
  const Mode* found = nullptr;
  for (const Mode& mode : kModes) {
    if (args.RefuseUnlessText("mode", mode.name).ok()) found = &mode;
  }
  if (found == nullptr) return symbolic::GraphBreak("a mode that computes");
  int padded = 0;
  for (int axis = 0; axis < a->node->rank(); ++axis) {
    const int64_t longest = std::max(widths[axis].before, widths[axis].after);
    const Size least =
        ConstantSize(trace, found->repeats ? 1 : std::max<int64_t>(longest + found->max_less, 1));
    if (IsLess(trace, SizeOf(a, axis), least))
      return symbolic::GraphBreak("wider strips than the array");
    padded += longest > 0;
  }
  if (padded > kMaxPaddedAxes) return symbolic::GraphBreak("strips along many axes");
  return found;
}

}  // namespace

absl::StatusOr<symbolic::Value*> TracePad(symbolic::TraceContext& trace, const BoundArgs& args,
                                          Op) {
  for (const char* name : {"end_values", "stat_length", "reflect_type"}) {
    if (args[name] != nullptr) return symbolic::GraphBreak("an argument of another mode");
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * tensor, args.Tensor("array"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * pad_width, args.Required("pad_width"));
  NumpyTensor* const a = AsNumpy(tensor);
  const int rank = a->node->rank();
  if (a->is_scalar || rank == 0) return symbolic::GraphBreak("an array of rank 0");
  if (rank > 1 && !RequireCOrder(trace, a) && !trace.has_free_orders())
    return symbolic::GraphBreak("an array in another memory order");
  // NumPy pads what lies in Fortran's order into an array that does so, too.
  const COrder c_order = a->c_order ? COrder(std::in_place) : std::nullopt;
  DYNACC_ASSIGN_OR_RETURN(std::vector<Widths> widths, AllWidths(trace, pad_width, rank));
  const bool is_constant =
      args["mode"] == nullptr || args.RefuseUnlessText("mode", "constant").ok();
  symbolic::Value* const value = args["constant_values"];
  if (!is_constant && value != nullptr) return symbolic::GraphBreak("an argument of another mode");
  const ir::Node* node = nullptr;
  if (is_constant) {
    const ir::Node* number = trace.graph().Scalar(a->node->dtype, trace.graph().scalars().Int(0));
    if (value != nullptr) {
      DYNACC_ASSIGN_OR_RETURN(number, NumberAs(trace, value, a->node->dtype));
    }
    if (number->op != Op::kScalar) return symbolic::GraphBreak("strips of a computed number");
    Padder padder(trace, a, std::move(widths));
    node = padder.WithNumber(number);
    return NewTensor(trace, node, padder.shape(), c_order);
  }
  DYNACC_ASSIGN_OR_RETURN(const Mode* mode, ModeFrom(trace, args, a, widths));
  Padder padder(trace, a, std::move(widths));
  node = padder.WithStrips(*mode);
  return NewTensor(trace, node, padder.shape(), c_order);
}

}  // namespace dynacc::numpy
