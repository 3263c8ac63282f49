// Read-only views of NumPy's functions: broadcast_to, broadcast_arrays (whose views warn of
// writes), diagonal, diag, sliding_window_view. In the trace they are views like others; one that
// is kept is made by NumPy's own call, whose flags and base no slice has.
#include <numeric>

#include "absl/algorithm/container.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/as_array.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

absl::StatusOr<NumpyTensor*> ArrayFrom(const BoundArgs& args, absl::string_view name) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor(name));
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  if (a->is_native) return symbolic::GraphBreak("a view that only NumPy makes");
  return AsNumpy(a);
}

// `view`, to be made by function(*args) where it is kept.
NumpyTensor* MadeBy(symbolic::TraceContext& trace, NumpyTensor* view, BorrowedRef function,
                    std::vector<symbolic::Value*> args) {
  view->read_only = true;
  view->made_by =
      trace.New<symbolic::LazyValue>(Ref::New(function), std::move(args), &PyArray_Type);
  return view;
}

struct Diagonal {
  Size start;  // its first element, in C order
  Size length;
};

// The elements of a matrix on the `offset`-th diagonal. GraphBreak if there are none.
absl::StatusOr<Diagonal> DiagonalOf(symbolic::TraceContext& trace, const NumpyTensor* a,
                                    Size offset) {
  Size rows = SizeOf(a, 0);
  Size columns = SizeOf(a, 1);
  const Size whole_row = columns;
  const bool is_below = IsLess(trace, offset, ConstantSize(trace, 0));
  const Size away = is_below ? Negate(trace, offset) : offset;
  Size& narrowed = is_below ? rows : columns;
  narrowed = Apply(trace, ScalarOp::kSub, narrowed, away);
  Diagonal diagonal;
  diagonal.start = is_below ? Apply(trace, ScalarOp::kMul, away, whole_row) : away;
  diagonal.length = IsLess(trace, rows, columns) ? rows : columns;
  if (!IsLess(trace, ConstantSize(trace, 0), diagonal.length)) {
    return symbolic::GraphBreak("a view of no elements");
  }
  return diagonal;
}

// Every `columns + 1`-th of the matrix's elements in C order, which must be that of its memory.
absl::StatusOr<NumpyTensor*> DiagonalView(symbolic::TraceContext& trace, NumpyTensor* a,
                                          const Diagonal& diagonal) {
  Shape flat_shape;
  flat_shape.push_back(ProductOf(trace, ShapeOf(a), 0, 2));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * flat, ReshapedView(trace, a, flat_shape));
  const Size step = Apply(trace, ScalarOp::kAdd, SizeOf(a, 1), ConstantSize(trace, 1));
  Shape shape;
  shape.push_back(diagonal.length);
  const int64_t axis[] = {0};
  const ir::Node* node =
      trace.graph().View(flat->node, shape.ids, axis, {&diagonal.start.id, 1}, {&step.id, 1});
  return NewViewTensor(trace, flat, node, shape, std::nullopt);
}

// diagonal(a, offset): a copy of it.
PyObject* CopyDiagonal(PyObject*, PyObject* args) {
  PyObject* array = nullptr;
  int offset = 0;
  if (!PyArg_ParseTuple(args, "O!i", &PyArray_Type, &array, &offset)) return nullptr;
  const Ref view = Ref::Steal(PyArray_Diagonal(AsArray(array), offset, 0, 1));
  return view ? PyArray_NewCopy(AsArray(view.get()), NPY_CORDER) : nullptr;
}

PyMethodDef copy_diagonal_method = {"diagonal", CopyDiagonal, METH_VARARGS, nullptr};

// The same of a matrix in whatever order: what is read in the trace is a copy.
absl::StatusOr<NumpyTensor*> CopiedDiagonal(symbolic::TraceContext& trace, NumpyTensor* a,
                                            Size offset, const Diagonal& diagonal) {
  static PyObject* const function = PyCFunction_New(&copy_diagonal_method, nullptr);
  symbolic::Value* const operands[] = {a, ToValue(trace, offset)};
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, function, {operands, {}}));
  traced.call.is_quiet = true;
  Shape shape;
  shape.push_back(diagonal.length);
  const NumpyTensor* const copy = EmitKnown(trace, std::move(traced), a->node->dtype, shape);
  return NewViewTensor(trace, a, copy->node, shape, std::nullopt);
}

absl::StatusOr<Size> OffsetFrom(symbolic::TraceContext& trace, symbolic::Value* given) {
  if (given == nullptr) return ConstantSize(trace, 0);
  return SizeFrom(trace, given);
}

absl::StatusOr<NumpyTensor*> TraceDiagonalOf(symbolic::TraceContext& trace, NumpyTensor* a,
                                             symbolic::Value* offset) {
  if (a->node->rank() != 2) return symbolic::GraphBreak("a diagonal of other than a matrix");
  DYNACC_ASSIGN_OR_RETURN(const Size away, OffsetFrom(trace, offset));
  DYNACC_ASSIGN_OR_RETURN(const Diagonal diagonal, DiagonalOf(trace, a, away));
  const bool in_c_order = RequireCOrder(trace, a);
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, in_c_order
                                                  ? DiagonalView(trace, a, diagonal)
                                                  : CopiedDiagonal(trace, a, away, diagonal));
  std::vector<symbolic::Value*> args = {a};
  if (offset != nullptr) args.push_back(offset);
  BorrowedRef method = PyDict_GetItemString(PyArray_Type.tp_dict, "diagonal");
  return MadeBy(trace, view, method, std::move(args));
}

// broadcast(broadcast_arrays, place, *arrays): the array at that place, as that function gives it.
PyObject* BroadcastOne(PyObject*, PyObject* args) {
  const Ref arrays = Ref::Steal(PyTuple_GetSlice(args, 2, PyTuple_GET_SIZE(args)));
  if (!arrays) return nullptr;
  const Ref views = Ref::Steal(PyObject_CallObject(PyTuple_GET_ITEM(args, 0), arrays.get()));
  return views ? PySequence_GetItem(views.get(), PyLong_AsSsize_t(PyTuple_GET_ITEM(args, 1)))
               : nullptr;
}

PyMethodDef broadcast_one_method = {"broadcast", BroadcastOne, METH_VARARGS, nullptr};

// What broadcast_arrays(*given) has at `place`: of the array `a` a view of `shape`, which only
// warns of writes, as long as NumPy has not made writing to it an error.
NumpyTensor* BroadcastWithOthers(symbolic::TraceContext& trace, NumpyTensor* a, const Shape& shape,
                                 int place, absl::Span<symbolic::Value* const> given) {
  static PyObject* const function = PyCFunction_New(&broadcast_one_method, nullptr);
  const ir::Node* const node = Broadcast(trace, a->node, ShapeOf(a), shape);
  NumpyTensor* const view =
      NewViewTensor(trace, a, node, shape, node == a->node ? a->c_order : std::nullopt);
  std::vector<symbolic::Value*> args = {
      trace.New<symbolic::ConstantValue>(Ref::New(FunctionNamed("broadcast_arrays"))),
      trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLong(place)))};
  args.insert(args.end(), given.begin(), given.end());
  return MadeBy(trace, view, function, std::move(args));
}

absl::Status RequireAxis(symbolic::TraceContext& trace, const BoundArgs& args,
                         absl::string_view name, int64_t expected, int rank) {
  if (args[name] == nullptr) return absl::OkStatus();
  DYNACC_ASSIGN_OR_RETURN(const int64_t axis, AxisFrom(trace, args[name], rank));
  return axis == expected ? absl::OkStatus() : symbolic::GraphBreak("a diagonal along other axes");
}

// The window's extents and the axes that they are along.
struct Window {
  Shape sizes;
  std::vector<int64_t> axes;
};

absl::StatusOr<Window> WindowFrom(symbolic::TraceContext& trace, const BoundArgs& args, int rank) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * given, args.Required("window_shape"));
  Window window;
  DYNACC_ASSIGN_OR_RETURN(window.sizes, ShapeFrom(trace, given));
  if (symbolic::Value* axis = args.GivenOrNull("axis")) {
    DYNACC_ASSIGN_OR_RETURN(window.axes, AxesFrom(trace, axis, rank));
  } else {
    window.axes.resize(rank);
    std::iota(window.axes.begin(), window.axes.end(), 0);
  }
  if (static_cast<int>(window.axes.size()) != window.sizes.rank()) {
    return symbolic::RaisingBreak("a window of another rank");
  }
  return window;
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceBroadcastTo(symbolic::TraceContext& trace,
                                                  const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "array"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * given, args.Required("shape"));
  DYNACC_ASSIGN_OR_RETURN(const Shape shape, ShapeFrom(trace, given));
  DYNACC_RETURN_IF_ERROR(args.Flag("subok", false).status());
  if (shape.rank() > kMaxRank) return symbolic::GraphBreak("an array of a high rank");
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (IsLess(trace, shape.at(axis), ConstantSize(trace, 0))) {
      return symbolic::RaisingBreak("a negative size");
    }
  }
  const Shape own = ShapeOf(a);
  DYNACC_ASSIGN_OR_RETURN(const Shape both, BroadcastShapes(trace, {own, shape}));
  if (!IsSameShape(trace, both, shape))
    return symbolic::RaisingBreak("shapes that do not broadcast");
  const ir::Node* const node = Broadcast(trace, a->node, own, shape);
  NumpyTensor* const view =
      NewViewTensor(trace, a, node, shape, node == a->node ? a->c_order : std::nullopt);
  return MadeBy(trace, view, FunctionNamed("broadcast_to"), {a, given});
}

// Arrays that have one shape already are given back themselves.
absl::StatusOr<symbolic::Value*> TraceBroadcastArrays(symbolic::TraceContext& trace,
                                                      const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(const bool subok, args.Flag("subok", false));
  if (subok) return symbolic::GraphBreak("views of subclasses");
  const absl::Span<symbolic::Value* const> given = args.rest();
  std::vector<NumpyTensor*> arrays;
  std::vector<Shape> shapes;
  for (symbolic::Value* value : given) {
    auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
    if (tensor != nullptr && tensor->is_native)
      return symbolic::GraphBreak("a view that only NumPy makes");
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * array, AsArrayValue(trace, value, nullptr));
    arrays.push_back(array);
    shapes.push_back(ShapeOf(array));
  }
  DYNACC_ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(trace, shapes));
  const bool are_alike =
      absl::c_all_of(shapes, [&](const Shape& own) { return IsSameShape(trace, own, shape); });
  std::vector<symbolic::Value*> results(arrays.begin(), arrays.end());
  for (size_t i = 0; i < results.size() && !are_alike; ++i) {
    results[i] = BroadcastWithOthers(trace, arrays[i], shape, static_cast<int>(i), given);
  }
  if (NumpyMajor() >= 2) return trace.New<symbolic::TupleValue>(std::move(results));
  return trace.New<symbolic::ListValue>(std::move(results));
}

absl::StatusOr<symbolic::Value*> TraceDiagonal(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "a"));
  DYNACC_RETURN_IF_ERROR(RequireAxis(trace, args, "axis1", 0, a->node->rank()));
  DYNACC_RETURN_IF_ERROR(RequireAxis(trace, args, "axis2", 1, a->node->rank()));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, TraceDiagonalOf(trace, a, args["offset"]));
  return view;
}

absl::StatusOr<symbolic::Value*> TraceDiag(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args, "v"));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, TraceDiagonalOf(trace, a, args["k"]));
  return view;
}

absl::StatusOr<symbolic::Value*> TraceSlidingWindow(symbolic::TraceContext& trace,
                                                    const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * x, ArrayFrom(args, "x"));
  DYNACC_RETURN_IF_ERROR(args.Flag("subok", false).status());
  DYNACC_ASSIGN_OR_RETURN(const bool writeable, args.Flag("writeable", false));
  const int rank = x->node->rank();
  if (writeable || rank == 0) return symbolic::GraphBreak("a window that can be written through");
  DYNACC_ASSIGN_OR_RETURN(const Window window, WindowFrom(trace, args, rank));
  if (rank + window.sizes.rank() > kMaxRank) return symbolic::GraphBreak("an array of a high rank");
  Shape shape = ShapeOf(x);
  const Size one = ConstantSize(trace, 1);
  for (int i = 0; i < window.sizes.rank(); ++i) {
    const Size size = window.sizes.at(i);
    const auto axis = static_cast<int>(window.axes[i]);
    if (IsLess(trace, size, one) || IsLess(trace, shape.at(axis), size)) {
      return symbolic::GraphBreak("a window that does not fit");
    }
    const Size less = Apply(trace, ScalarOp::kSub, size, one);
    const Size places = Apply(trace, ScalarOp::kSub, shape.at(axis), less);
    shape.ids[axis] = places.id;
    shape.hints[axis] = places.hint;
  }
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  for (int i = 0; i < window.sizes.rank(); ++i) {
    shape.push_back(window.sizes.at(i));
    axes.push_back(window.axes[i]);
  }
  const std::vector<ScalarId> starts(rank, trace.graph().scalars().Int(0));
  const std::vector<ScalarId> steps(axes.size(), trace.graph().scalars().Int(1));
  const ir::Node* node = trace.graph().View(x->node, shape.ids, axes, starts, steps);
  NumpyTensor* const view = NewViewTensor(trace, x, node, shape, std::nullopt);
  std::vector<symbolic::Value*> call = {x, args["window_shape"]};
  if (args["axis"] != nullptr) call.push_back(args["axis"]);
  return MadeBy(trace, view, FunctionNamed("lib.stride_tricks.sliding_window_view"),
                std::move(call));
}

}  // namespace dynacc::numpy
