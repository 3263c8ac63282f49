#include "frontend/numpy/trace/library_call.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/capi/warnings_scope.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/number_calls.h"
#include "frontend/numpy/trace/storage.h"
#include "frontend/numpy/trace/structural_calls.h"
#include "frontend/symbolic/slice_parts.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

using Kind = LibraryCallArg::Kind;

// A function without a shape rule is tried on arrays of up to so many elements altogether.
constexpr int64_t kMaxTriedElements = int64_t{1} << 16;

// Whether LAPACK may be called: by NumPy's linalg, and by functions of other modules that use it.
bool CallsLapack(BorrowedRef callable) {
  const auto text_of = [callable](const char* attribute) {
    const Ref value = Ref::Steal(PyObject_GetAttrString(callable, attribute));
    const bool is_text = value && PyUnicode_Check(value.get());
    const char* const text = is_text ? PyUnicode_AsUTF8(value.get()) : nullptr;
    PyErr_Clear();
    return std::string(text == nullptr ? "" : text);
  };
  constexpr absl::string_view kUsers[] = {"polyfit", "roots"};
  return absl::StartsWith(text_of("__module__"), "numpy.linalg") ||
         absl::c_linear_search(kUsers, text_of("__name__"));
}

// Immutable objects that mean the same at every call.
bool IsPlainConstant(BorrowedRef object) {
  return object == Py_None || object == Py_Ellipsis || PyBool_Check(object) ||
         PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) ||
         PyComplex_CheckExact(object) || PyArray_DescrCheck(object) || IsNumpyScalar(object) ||
         (PyType_Check(object) &&
          (object == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
           object == reinterpret_cast<PyObject*>(&PyLong_Type) ||
           object == reinterpret_cast<PyObject*>(&PyBool_Type) ||
           PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object), &PyGenericArrType_Type)));
}

bool IsConstant(BorrowedRef object) {
  if (PySlice_Check(object)) {
    auto* slice = reinterpret_cast<PySliceObject*>(object);
    return IsConstant(slice->start) && IsConstant(slice->stop) && IsConstant(slice->step);
  }
  if (!PyTuple_CheckExact(object)) return IsPlainConstant(object);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    if (!IsConstant(PyTuple_GET_ITEM(object, i))) return false;
  }
  return true;
}

// Whether NumPy's strides for an axis of one element would tell that the array is a real or
// imaginary part: that is a view with gaps, and what we compute of it has none.
bool ShowsGaps(symbolic::TraceContext& trace, const symbolic::TensorValue& array) {
  const ir::Node* node = array.node;
  while (node->op == Op::kView || node->op == Op::kReshape) node = node->operands[0];
  const bool is_part = node->op == Op::kReal || node->op == Op::kImag;
  return is_part && array.node->rank() > 1 && HasAxisOfOne(trace, ShapeOf(&array));
}

// Whether NumPy may walk a real or imaginary part from its end to its start, which loops of NumPy 2
// look at (LoopBits::kUnlessBackwards); what we compute of it lies forwards.
bool MayLieBackwards(symbolic::TraceContext& trace, symbolic::TensorValue* array) {
  if (NumpyMajor() == 1) return false;
  const auto is_part = [](const symbolic::TensorValue* tensor) {
    return tensor->node->op == Op::kReal || tensor->node->op == Op::kImag;
  };
  while (array != nullptr && !is_part(array)) array = array->view_of;
  return array != nullptr && array->view_of != nullptr && !RequireCOrder(trace, array->view_of);
}

class Taker {
 public:
  Taker(symbolic::TraceContext& trace, TracedCall& traced) : trace_(trace), traced_(traced) {}

  absl::StatusOr<LibraryCallArg> Take(symbolic::Value* value) {
    if (auto* tensor = symbolic::As<symbolic::TensorValue>(value)) {
      DYNACC_RETURN_IF_ERROR(CheckHandable(trace_, tensor));
      if (ShowsGaps(trace_, *tensor))
        return symbolic::GraphBreak("a part of complex numbers in one column");
      if (MayLieBackwards(trace_, tensor))
        return symbolic::GraphBreak("a part of complex numbers that may lie backwards");
      return Hole(tensor->is_scalar ? Kind::kScalar : Kind::kArray, tensor->node, ShapeOf(tensor),
                  {}, AsNumpy(tensor)->object, tensor);
    }
    if (auto* scalar = ScalarOfNumber(value)) {
      const bool is_float = scalar->node->dtype == DType::kFloat64;
      traced_.has_computed_int |= !is_float;
      const ScalarValue any = is_float ? ScalarValue{.f = 0.5} : ScalarValue{.i = 1};
      return Hole(Kind::kNumber, scalar->node, {}, any, {});
    }
    if (auto* number = symbolic::As<symbolic::NumberValue>(value)) {
      constexpr DType kDTypes[] = {DType::kInt64, DType::kFloat64, DType::kBool};
      const DType dtype = kDTypes[static_cast<int>(number->type)];
      return Hole(Kind::kNumber, trace_.graph().Scalar(dtype, number->id), {}, number->hint, {});
    }
    if (auto* tuple = symbolic::As<symbolic::TupleValue>(value))
      return Sequence(Kind::kTuple, tuple->items);
    if (auto* list = symbolic::As<symbolic::ListValue>(value)) {
      if (list->open) return symbolic::GraphBreak("a list whose items are not known");
      return Sequence(Kind::kList, list->items);
    }
    if (auto* slice = symbolic::SliceFrom(trace_, value)) {
      return Sequence(Kind::kSlice, {slice->start, slice->stop, slice->step});
    }
    return Constant(value);
  }

 private:
  LibraryCallArg Hole(Kind kind, const ir::Node* node, Shape shape, ScalarValue number, Ref object,
                      symbolic::TensorValue* array = nullptr) {
    LibraryCallArg hole;
    hole.kind = kind;
    hole.operand = static_cast<int>(traced_.operands.size());
    traced_.operands.push_back(node);
    traced_.shapes.push_back(std::move(shape));
    traced_.numbers.push_back(number);
    traced_.objects.push_back(std::move(object));
    traced_.call.apart_from.push_back(ApartFrom(array));
    arrays_.push_back(array);
    return hole;
  }

  // The operands so far, as bits, that lie elsewhere than `array` (null: a number) in the program.
  uint64_t ApartFrom(symbolic::TensorValue* array) const {
    uint64_t apart = 0;
    for (size_t i = 0; i < arrays_.size() && i < kMaxOperandsApart; ++i) {
      const bool both = array != nullptr && arrays_[i] != nullptr;
      if (both && AreApart(array, arrays_[i])) apart |= uint64_t{1} << i;
    }
    return apart;
  }

  absl::StatusOr<LibraryCallArg> Sequence(Kind kind, const std::vector<symbolic::Value*>& items) {
    LibraryCallArg sequence;
    sequence.kind = kind;
    for (symbolic::Value* item : items) {
      DYNACC_ASSIGN_OR_RETURN(LibraryCallArg taken, Take(item));
      sequence.items.push_back(std::move(taken));
    }
    return sequence;
  }

  absl::StatusOr<LibraryCallArg> Constant(symbolic::Value* value) {
    LibraryCallArg argument;
    DYNACC_ASSIGN_OR_RETURN(argument.constant, KnownArgument(trace_, value));
    return argument;
  }

  symbolic::TraceContext& trace_;
  TracedCall& traced_;
  std::vector<symbolic::TensorValue*> arrays_;  // of the operands; null: a number
};

// The fill of examples that are 0, 1, 2, ...; and that are scattered between 0 and 1.
constexpr long kCounting = -1;
constexpr long kScattered = -2;

// Whether an operand is tried out by a small one although the others have their sizes.
constexpr npy_intp kLargestOfCut = 4;
bool IsCut(const TracedCall& traced, const Shape& shape) {
  return traced.tries_large_ones_small && ElementsOf(shape) > kMaxTriedElements;
}

// Examples of the operands: arrays full of one number, of the sizes in this call up to a limit;
// and the numbers of this call.
class ExampleArguments {
 public:
  ExampleArguments(const TracedCall& traced, npy_intp largest, long fill)
      : traced_(traced), largest_(largest), fill_(fill) {}

  PyObject* Make(const LibraryCallArg& hole) {
    const DType dtype = traced_.operands[hole.operand]->dtype;
    if (hole.kind == Kind::kNumber) return Number(dtype, traced_.numbers[hole.operand]);
    if (traced_.objects[hole.operand]) return MakeKnown(traced_.objects[hole.operand].get());
    const Shape& shape = traced_.shapes[hole.operand];
    std::vector<npy_intp> sizes(shape.hints.begin(), shape.hints.end());
    const npy_intp largest = IsCut(traced_, shape) ? kLargestOfCut : largest_;
    for (npy_intp& size : sizes) size = std::min(size, largest);
    PyArray_Descr* descr = Descr(dtype);
    Py_INCREF(descr);  // PyArray_Zeros takes it
    Ref array = Ref::Steal(
        PyArray_Zeros(static_cast<int>(sizes.size()), sizes.data(), descr, /*is_f_order=*/0));
    if (!array || !Fill(array.get())) return nullptr;
    if (hole.kind == Kind::kScalar) return PyArray_Return(AsArray(array.Release()));
    PyArray_CLEARFLAGS(AsArray(array.get()), NPY_ARRAY_WRITEABLE);
    made_.push_back(array);
    return array.Release();
  }

  // Whether the function let go of them: its result is no view of one.
  bool AreFree() const {
    return std::all_of(made_.begin(), made_.end(),
                       [](const Ref& array) { return Py_REFCNT(array.get()) == 1; });
  }

 private:
  // A number that exists; of an array a copy, which nothing can be written through.
  static PyObject* MakeKnown(BorrowedRef object) {
    if (!IsNumpyArray(object)) return Py_NewRef(object);
    Ref copy = Ref::Steal(PyArray_NewCopy(AsArray(object), NPY_KEEPORDER));
    if (copy) PyArray_CLEARFLAGS(AsArray(copy.get()), NPY_ARRAY_WRITEABLE);
    return copy.Release();
  }

  static PyObject* Number(DType dtype, ScalarValue now) {
    if (dtype == DType::kFloat64) return PyFloat_FromDouble(now.f);
    return dtype == DType::kBool ? PyBool_FromLong(now.i) : PyLong_FromLongLong(now.i);
  }

  bool Fill(BorrowedRef array) const {
    if (fill_ == kScattered) return Scatter(array);
    if (fill_ != kCounting) {
      const Ref fill = Ref::Steal(PyLong_FromLong(fill_));
      return fill && PyArray_FillWithScalar(AsArray(array), fill.get()) == 0;
    }
    const auto count = static_cast<double>(PyArray_SIZE(AsArray(array)));
    const Ref numbers = Ref::Steal(PyArray_Arange(0, count, 1, NPY_LONG));
    return numbers && PyObject_SetAttrString(array, "flat", numbers.get()) == 0;
  }

  static bool Scatter(BorrowedRef array) {
    npy_intp count = PyArray_SIZE(AsArray(array));
    const Ref numbers = Ref::Steal(PyArray_SimpleNew(1, &count, NPY_DOUBLE));
    if (!numbers) return false;
    auto* const elements = static_cast<double*>(PyArray_DATA(AsArray(numbers.get())));
    // Of a simpler pattern, as multiples of one number, matrices have no full rank.
    std::minstd_rand random;
    std::generate_n(elements, count, [&] { return std::generate_canonical<double, 53>(random); });
    return PyObject_SetAttrString(array, "flat", numbers.get()) == 0;
  }

  const TracedCall& traced_;
  const npy_intp largest_;
  const long fill_;
  std::vector<Ref> made_;
};

double ElementsOf(const TracedCall& traced) {
  double count = 0;
  for (const Shape& shape : traced.shapes) {
    if (!IsCut(traced, shape)) count += ElementsOf(shape);
  }
  return count;
}

bool HasDataDependentSize(symbolic::TraceContext& trace, const TracedCall& traced) {
  return absl::c_any_of(traced.shapes, [&](const Shape& shape) {
    return absl::c_any_of(shape.ids, [&](ScalarId id) { return trace.IsDataDependent(id); });
  });
}

bool IsOneResult(BorrowedRef object) { return IsNumpyArray(object) || IsNumpyScalar(object); }

bool IsInNumpy(BorrowedRef cls) {
  const Ref module = Ref::Steal(PyObject_GetAttrString(cls, "__module__"));
  const char* const text =
      module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
  PyErr_Clear();
  return text != nullptr && absl::StartsWith(text, "numpy.");
}

// Whether it is a named tuple of NumPy's own, as its functions of linear algebra give from NumPy 2
// on: nothing but its items.
bool IsNumpysTuple(BorrowedRef object) {
  const PyTypeObject* const type = Py_TYPE(object);
  return PyTuple_Check(object) && type->tp_base == &PyTuple_Type && type->tp_dictoffset == 0 &&
         IsInNumpy(reinterpret_cast<PyObject*>(Py_TYPE(object)));
}

// A tuple or list of results, none of them twice.
bool IsManyResults(BorrowedRef object) {
  if (!PyTuple_CheckExact(object) && !PyList_CheckExact(object) && !IsNumpysTuple(object)) {
    return false;
  }
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
  PyObject** items = PySequence_Fast_ITEMS(object);
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (!IsOneResult(items[i]) || std::find(items, items + i, items[i]) != items + i) return false;
  }
  return size > 0;
}

// Examples that a function may fail on, and the next that may do: ones are no indices, not every
// function takes an axis of size 1, and elements that are all the same have no variance.
struct Attempt {
  npy_intp largest;
  long fill;
};
constexpr npy_intp kAnySize = NPY_MAX_INTP;
constexpr Attempt kSmall[] = {{1, 1}, {1, 0}, {4, 1}, {4, 0}, {4, kCounting}};
constexpr Attempt kTrueSizes[] = {{kAnySize, 1}, {kAnySize, 0}, {kAnySize, kCounting}};
constexpr Attempt kVariety[] = {{kAnySize, kScattered}};

absl::Span<const Attempt> TrueSizes(const TracedCall& traced) {
  return traced.wants_variety ? absl::MakeSpan(kVariety) : absl::MakeSpan(kTrueSizes);
}

// What the function gives for examples.
absl::StatusOr<Ref> TryOut(const TracedCall& traced, absl::Span<const Attempt> attempts) {
  // What is said of examples is nothing to the program, if the function may warn at all.
  const WarningsAs warnings(traced.call.may_warn ? "ignore" : "error");
  for (const Attempt& attempt : attempts) {
    const WatchedErrorState watched(traced.call.reported);
    ExampleArguments examples(traced, attempt.largest, attempt.fill);
    Ref result =
        CallLibrary(traced.call, [&](const LibraryCallArg& hole) { return examples.Make(hole); });
    PyErr_Clear();
    if (!result || watched.HasErrors()) continue;
    if (!examples.AreFree()) return symbolic::GraphBreak("a view that NumPy's own function makes");
    if (IsOneResult(result.get()) || IsManyResults(result.get())) return result;
    if (PyFloat_CheckExact(result.get()) || PyLong_CheckExact(result.get())) return result;
    return symbolic::GraphBreak("a result that kernels do not handle");
  }
  return symbolic::RaisingBreak("a call that fails when it is tried out");
}

// The same: small ones will do where the sizes of the result are known, unless another argument (a
// list of numbers) fits operands of the true sizes only.
absl::StatusOr<Ref> Example(const TracedCall& traced, bool knows_shape, bool may_be_large) {
  if (!knows_shape) return TryOut(traced, TrueSizes(traced));
  absl::StatusOr<Ref> tried = TryOut(traced, absl::MakeSpan(kSmall));
  return symbolic::IsRaisingBreak(tried.status()) && may_be_large
             ? TryOut(traced, TrueSizes(traced))
             : tried;
}

// Every size of the operands, and every int among them, as in this call.
void RequireSizes(symbolic::TraceContext& trace, const TracedCall& traced) {
  for (const Shape& shape : traced.shapes) {
    for (int axis = 0; axis < shape.rank() && !IsCut(traced, shape); ++axis) {
      IsEqual(trace, shape.at(axis), ConstantSize(trace, shape.hints[axis]));
    }
  }
  for (size_t i = 0; i < traced.operands.size(); ++i) {
    const ir::Node* node = traced.operands[i];
    if (node->op != Op::kScalar || node->dtype != DType::kInt64) continue;
    const int64_t now = traced.numbers[i].i;
    IsEqual(trace, {node->attrs.scalars[0], now}, ConstantSize(trace, now));
  }
}

Shape ConstantShape(symbolic::TraceContext& trace, const StridedView& view) {
  Shape shape;
  for (int axis = 0; axis < view.rank; ++axis) {
    shape.push_back(ConstantSize(trace, view.shape[axis]));
  }
  return shape;
}

NumpyTensor* Emit(symbolic::TraceContext& trace, TracedCall traced, DType dtype, const Shape& shape,
                  ScalarId defined = kNoScalar) {
  // Of nothing at all many functions warn.
  traced.call.may_warn |= !traced.call.is_quiet && HasDataDependentSize(trace, traced);
  traced.call.may_warn |= traced.warns_of_few_values;
  // NumPy from 1.24 to 2 warns of ints that the elements' dtype does not hold.
  traced.call.may_warn |= absl::c_any_of(traced.operands, [](const ir::Node* node) {
    return node->op == Op::kScalar && node->dtype == DType::kInt64;
  });
  const bool is_scalar = traced.call.gives_scalar;
  const bool in_c_order = traced.call.gives_c_order || shape.rank() <= 1;
  // The graph goes on with a copy in C order; what NumPy's own result is reshaped to may be one.
  traced.call.gives_c_order |= trace.has_free_orders() && shape.rank() > 1 && traced.call.view == 0;
  const int64_t id = TheNumpyLibraryCaller().Register(traced.call);
  const ir::Node* node =
      MakeCallNode(trace.graph(), traced.call, id, dtype, shape.ids, traced.operands, defined);
  const COrder c_order = in_c_order ? COrder(std::in_place) : std::nullopt;
  auto* tensor = NewTensor(trace, node, shape, c_order, /*scalar_if_rank_0=*/false);
  tensor->is_scalar = is_scalar;
  return tensor;
}

// A result like `example`, in every size or (`shape` given) in its rank and dtype.
absl::StatusOr<NumpyTensor*> EmitLike(symbolic::TraceContext& trace, TracedCall traced,
                                      BorrowedRef example, const std::optional<Shape>& shape) {
  StridedView view;
  alignas(16) char storage[16];
  ReadNumpy(example, &view, storage);
  if (!shape) RequireSizes(trace, traced);
  const Shape result = shape ? *shape : ConstantShape(trace, view);
  if (result.rank() != view.rank)
    return symbolic::GraphBreak("a result of another rank than expected");
  traced.call.gives_scalar = !PyArray_CheckExact(example);
  traced.call.gives_c_order =
      result.rank() > 1 && !shape && PyArray_IS_C_CONTIGUOUS(AsArray(example));
  const bool is_seen =
      PyArray_CheckExact(example) && !PyArray_CHKFLAGS(AsArray(example), NPY_ARRAY_OWNDATA);
  // Equal calls are one node, of which a second array would be a copy: its memory its own.
  if (is_seen) traced.call.view = static_cast<int>(trace.graph().nodes().size()) + 1;
  NumpyTensor* const tensor = Emit(trace, std::move(traced), view.dtype, result);
  tensor->is_seen = is_seen;
  return tensor;
}

// Of an array or scalar object.
int RankOf(BorrowedRef example) {
  StridedView view;
  alignas(16) char storage[16];
  ReadNumpy(example, &view, storage);
  return view.rank;
}

// Whether all results have that many axes.
bool HaveRank(BorrowedRef example, int rank) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(example); ++i) {
    if (RankOf(PySequence_Fast_GET_ITEM(example, i)) != rank) return false;
  }
  return true;
}

// The items as a tuple, list or named tuple like `example`.
symbolic::Value* Together(symbolic::TraceContext& trace, BorrowedRef example,
                          std::vector<symbolic::Value*> items) {
  if (PyList_CheckExact(example)) return trace.New<symbolic::ListValue>(std::move(items));
  auto* const tuple = trace.New<symbolic::TupleValue>(std::move(items));
  if (!PyTuple_CheckExact(example)) {
    tuple->cls =
        trace.New<symbolic::ConstantValue>(Ref::New(reinterpret_cast<PyObject*>(Py_TYPE(example))));
  }
  return tuple;
}

// The tuple or list of the results, all of `shape` if that is given.
absl::StatusOr<symbolic::Value*> EmitItems(symbolic::TraceContext& trace, const TracedCall& traced,
                                           BorrowedRef example, const std::optional<Shape>& shape) {
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(example); ++i) {
    TracedCall one = traced;
    one.call.item = static_cast<int>(i);
    DYNACC_ASSIGN_OR_RETURN(
        NumpyTensor * item,
        EmitLike(trace, std::move(one), PySequence_Fast_GET_ITEM(example, i), shape));
    items.push_back(item);
  }
  return Together(trace, example, std::move(items));
}

}  // namespace

absl::StatusOr<Ref> KnownArgument(symbolic::TraceContext& trace, symbolic::Value* value) {
  Ref known;
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value)) {
    known = constant->object;
    if (PyFloat_CheckExact(known.get()) && std::isnan(PyFloat_AS_DOUBLE(known.get()))) {
      // By its reference count the frame state knows a NaN that the program makes anew at each
      // call.
      known = Ref::Steal(PyFloat_FromDouble(PyFloat_AS_DOUBLE(known.get())));
    }
  } else if (auto* object = symbolic::As<symbolic::ObjectValue>(value);
             object && object->source() != nullptr) {
    known = object->object;
    if (IsConstant(known.get())) {
      trace.AddGuard(guards::GuardKind::kIdentity, object->source(), known.get());
    }
  }
  if (known && IsConstant(known.get())) return known;
  return symbolic::GraphBreak("an argument of an unknown kind");
}

bool IsPlainArgument(BorrowedRef object) { return IsConstant(object); }

LibraryCallArg AddArray(TracedCall& traced, const NumpyTensor* array) {
  LibraryCallArg hole;
  hole.kind = LibraryCallArg::Kind::kArray;
  hole.operand = static_cast<int>(traced.operands.size());
  traced.operands.push_back(array->node);
  traced.shapes.push_back(ShapeOf(array));
  traced.numbers.push_back({});
  traced.objects.emplace_back();
  return hole;
}

absl::StatusOr<TracedCall> TakeApart(symbolic::TraceContext& trace, BorrowedRef callable,
                                     const arrays::CallArgs& args) {
  TracedCall traced;
  traced.call.callable = Ref::New(callable);
  traced.call.reported = trace.reported_errors();
  traced.call.may_print = CallsLapack(callable);
  Taker taker(trace, traced);
  for (symbolic::Value* value : args.positional) {
    DYNACC_ASSIGN_OR_RETURN(LibraryCallArg argument, taker.Take(value));
    traced.call.positional.push_back(std::move(argument));
  }
  for (const auto& [name, value] : args.keywords) {
    DYNACC_ASSIGN_OR_RETURN(LibraryCallArg argument, taker.Take(value));
    traced.call.keywords.emplace_back(name.text(), std::move(argument));
  }
  return traced;
}

absl::StatusOr<symbolic::Value*> EmitCall(symbolic::TraceContext& trace, TracedCall traced,
                                          const std::optional<Shape>& shape) {
  if (!shape && HasDataDependentSize(trace, traced)) {
    return symbolic::GraphBreak("a call on an array whose size only the run tells");
  }
  if (!shape && traced.has_computed_int)
    return symbolic::GraphBreak("a call with an int that arrays compute");
  const bool small = ElementsOf(traced) <= kMaxTriedElements;
  if (!shape && !small)
    return symbolic::GraphBreak("a call on arrays that are too large to try it out");
  DYNACC_ASSIGN_OR_RETURN(Ref example, Example(traced, shape.has_value(), small));
  // Of small operands some functions give less, as cov a number of one row.
  if (shape && small && IsOneResult(example.get()) && RankOf(example.get()) != shape->rank()) {
    DYNACC_ASSIGN_OR_RETURN(example, TryOut(traced, TrueSizes(traced)));
  }
  if (IsOneResult(example.get())) {
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * one,
                            EmitLike(trace, std::move(traced), example.get(), shape));
    return one;
  }
  if (!IsManyResults(example.get())) {
    if (!shape) RequireSizes(trace, traced);
    return EmitNumber(trace, std::move(traced), example.get());
  }
  if (shape && HaveRank(example.get(), shape->rank())) {
    return EmitItems(trace, std::move(traced), example.get(), shape);
  }
  if (!small) return symbolic::GraphBreak("a call on arrays that are too large to try it out");
  if (shape) {
    DYNACC_ASSIGN_OR_RETURN(example, TryOut(traced, TrueSizes(traced)));
  }
  return EmitItems(trace, std::move(traced), example.get(), std::nullopt);
}

absl::StatusOr<std::vector<NumpyTensor*>> EmitEach(symbolic::TraceContext& trace,
                                                   const TracedCall& traced,
                                                   absl::Span<const Shape> shapes) {
  DYNACC_ASSIGN_OR_RETURN(const Ref example, TryOutSmall(traced));
  const auto count = static_cast<Py_ssize_t>(shapes.size());
  if (!IsManyResults(example.get()) || PySequence_Fast_GET_SIZE(example.get()) != count) {
    return symbolic::GraphBreak("another number of results than expected");
  }
  std::vector<NumpyTensor*> results;
  for (Py_ssize_t i = 0; i < count; ++i) {
    TracedCall one = traced;
    one.call.item = static_cast<int>(i);
    PyObject* const item = PySequence_Fast_GET_ITEM(example.get(), i);
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, EmitLike(trace, std::move(one), item, shapes[i]));
    results.push_back(result);
  }
  return results;
}

namespace {

// The `place`-th result of a call of data-dependent size, like `example`.
absl::StatusOr<NumpyTensor*> EmitDataDependentItem(symbolic::TraceContext& trace, TracedCall traced,
                                                   BorrowedRef example,
                                                   const DataDependentResult& result, int place) {
  StridedView view;
  alignas(16) char storage[16];
  ReadNumpy(example, &view, storage);
  const Shape& shape = result.items[place];
  if (view.rank != shape.rank() || !PyArray_CheckExact(example)) {
    return symbolic::GraphBreak("a result of another rank than expected");
  }
  if (result.many) traced.call.item = place;
  const ScalarId defined = place == 0 && result.defines ? result.size.id : kNoScalar;
  // What is called with the bits of low-precision floats only moves them.
  const bool is_bits = !traced.operands.empty() && IsBitsOf(traced.operands[0]->dtype, view.dtype);
  const DType dtype = is_bits ? traced.operands[0]->dtype : view.dtype;
  NumpyTensor* const tensor = Emit(trace, std::move(traced), dtype, shape, defined);
  if (result.with_gaps) tensor->c_order = std::nullopt;
  return tensor;
}

}  // namespace

absl::StatusOr<symbolic::Value*> EmitDataDependent(symbolic::TraceContext& trace, TracedCall traced,
                                                   const DataDependentResult& result) {
  DYNACC_ASSIGN_OR_RETURN(const Ref example, TryOutSmall(traced));
  if (!result.many && !IsNumpyArray(example.get()))
    return symbolic::GraphBreak("a result that is no array");
  if (!result.many) {
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * one, EmitDataDependentItem(trace, std::move(traced),
                                                                     example.get(), result, 0));
    return one;
  }
  const auto count = static_cast<Py_ssize_t>(result.items.size());
  if (!IsManyResults(example.get()) || PySequence_Fast_GET_SIZE(example.get()) != count) {
    return symbolic::GraphBreak("another number of results than expected");
  }
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < count; ++i) {
    DYNACC_ASSIGN_OR_RETURN(
        NumpyTensor * item,
        EmitDataDependentItem(trace, traced, PySequence_Fast_GET_ITEM(example.get(), i), result,
                              static_cast<int>(i)));
    items.push_back(item);
  }
  return Together(trace, example.get(), std::move(items));
}

absl::StatusOr<Ref> TryOutSmall(const TracedCall& traced) {
  return TryOut(traced, absl::MakeSpan(kSmall));
}

NumpyTensor* EmitKnown(symbolic::TraceContext& trace, TracedCall traced, DType dtype,
                       const Shape& shape) {
  traced.call.gives_scalar = shape.rank() == 0;
  return Emit(trace, std::move(traced), dtype, shape);
}

NumpyTensor* EmitArray(symbolic::TraceContext& trace, TracedCall traced, DType dtype,
                       const Shape& shape) {
  return Emit(trace, std::move(traced), dtype, shape);
}

}  // namespace dynacc::numpy
