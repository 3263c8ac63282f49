#include "frontend/numpy/trace/numpy_library_caller.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "boost/container/small_vector.hpp"
#include "frontend/arrays/run_scope.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/thread_end.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/error_settings.h"
#include "frontend/numpy/capi/generator_state.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/capi/warnings_scope.h"
#include "frontend/numpy/trace/own_calls.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/library_call_text.h"
#include "runtime/executor/loop_nest.h"
#include "runtime/platform/fp_flags.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::numpy {
namespace {

// An array over `view`'s memory, which the caller keeps alive.
PyObject* ArrayOver(const StridedView& view, bool is_writable) {
  PyArray_Descr* descr = Descr(view.dtype);
  Py_INCREF(descr);  // PyArray_NewFromDescr takes it
  return PyArray_NewFromDescr(&PyArray_Type, descr, view.rank,
                              reinterpret_cast<const npy_intp*>(view.shape),
                              reinterpret_cast<const npy_intp*>(view.strides), view.data,
                              is_writable ? NPY_ARRAY_WRITEABLE : 0, nullptr);
}

// Results of constant calls up to this size are kept.
constexpr npy_intp kMaxKeptBytes = npy_intp{1} << 20;
// ... until they come to this much altogether: then all are let go, and made again when asked for.
constexpr npy_intp kMaxAllKeptBytes = npy_intp{16} << 20;

struct NumpyResult : executor::LibraryCallResult {
  Ref object;
  alignas(16) char bytes[16];  // of a scalar
};

template <typename T>
T ReadAs(const StridedView& view) {
  T value;
  std::memcpy(&value, view.data, sizeof(T));
  return value;
}

// Numbers of the scalar program come as elements of these three dtypes.
PyObject* PythonNumber(const StridedView& view) {
  if (view.dtype == DType::kInt64) return PyLong_FromLongLong(ReadAs<int64_t>(view));
  if (view.dtype == DType::kBool) return PyBool_FromLong(ReadAs<uint8_t>(view));
  return PyFloat_FromDouble(ReadAs<double>(view));
}

// The NumPy scalar of a Python float or int, float64 or int64; Python's None for another object or
// an int that does not fit: no result that anything promises.
Ref ScalarOf(BorrowedRef number) {
  if (PyFloat_CheckExact(number)) {
    double value = PyFloat_AS_DOUBLE(number);
    return Ref::Steal(PyArray_Scalar(&value, Descr(DType::kFloat64), nullptr));
  }
  int overflow = 1;
  int64_t value = PyLong_CheckExact(number) ? PyLong_AsLongLongAndOverflow(number, &overflow) : 0;
  if (overflow != 0) return Ref::New(Py_None);
  return Ref::Steal(PyArray_Scalar(&value, Descr(DType::kInt64), nullptr));
}

// Whether plain execution raises the pending exception again. What another thread raised does not
// come again, nor does what a signal handler raised into the program's own code, as far as it can
// be told from that code's errors: it is then delivered at the next instruction.
bool ComesAgain(const LibraryCall& call) {
  PyObject* type = PyErr_Occurred();
  if (!PyErr_GivenExceptionMatches(type, PyExc_Exception)) return false;
  if (call.may_raise) return true;
  if (!PyType_HasFeature(reinterpret_cast<PyTypeObject*>(type), Py_TPFLAGS_HEAPTYPE)) return true;
  PyObject* module =
      PyDict_GetItemString(NamespaceOf(reinterpret_cast<PyTypeObject*>(type)), "__module__");
  const char* name = module == nullptr ? nullptr : PyUnicode_AsUTF8(module);
  return name != nullptr && absl::StartsWith(name, "numpy");
}

int RaiseLater(void* exception) {
  Ref owned = Ref::Steal(static_cast<PyObject*>(exception));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(owned.get())), owned.get());
  return -1;
}

// Has the exception raised in this thread once the run has come to nothing. Pending calls run on
// the thread of the signal handlers alone; in another one only other threads interrupt, by a class.
void InterruptAgain(Ref type, Ref value) {
  if (!RunsSignalHandlers()) {
    PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), type.get());
  } else if (Py_AddPendingCall(RaiseLater, value.get()) == 0) {
    value.Release();
  }
}

// "LinAlgError: Singular matrix".
std::string TextOf(PyObject* exception) {
  const Ref text = Ref::Steal(PyObject_Str(exception));
  PyErr_Clear();
  return absl::StrCat(Py_TYPE(exception)->tp_name, ": ", text ? StrView(text.get()) : "");
}

absl::Status Failed(const LibraryCall& call) {
  if (PyErr_Occurred() == nullptr) return absl::AbortedError("a function raised an error");
  const bool comes_again = ComesAgain(call);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (comes_again) {
    const Ref owned[] = {Ref::Steal(type), Ref::Steal(value), Ref::Steal(traceback)};
    return absl::AbortedError(absl::StrCat("a function raised ", TextOf(owned[1].get())));
  }
  Py_XDECREF(traceback);
  InterruptAgain(Ref::Steal(type), Ref::Steal(value));
  return absl::AbortedError("an interruption");
}

// The random generator that a call draws from; null if it is made in the run, and so needs no undo,
// or the call makes one.
BorrowedRef GeneratorOf(const LibraryCall& call) {
  if (call.generator) return call.generator.get();
  for (const LibraryCallArg& argument : call.positional) {
    if (argument.kind == LibraryCallArg::Kind::kObject) {
      return arrays::RunScope::Current()->object(argument.operand);
    }
  }
  return nullptr;
}

// Whether the state that the call changes is kept, if it has to be.
bool KeepState(const LibraryCall& call) {
  BorrowedRef generator = call.draw > 0 ? GeneratorOf(call) : nullptr;
  return generator == nullptr || KeepGeneratorState(generator, *arrays::RunScope::Current());
}

template <typename T>
bool RunIsFinite(const char* at, int64_t stride, int64_t n) {
  T sum = 0;  // 0 times what is not finite is a NaN
  for (int64_t i = 0; i < n; ++i, at += stride) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    sum += value * 0;
  }
  return sum == 0;
}

// Leaves the floating-point flags as they are. Halves and ints count as finite: LAPACK is given
// neither.
bool IsFinite(const StridedView& view) {
  const DType real = RealOf(view.dtype);
  if (real != DType::kFloat32 && real != DType::kFloat64) return true;
  const platform::ScopedFpFlags flags;
  executor::LoopNest nest;
  executor::StartNest(nest, view.rank, view.shape);
  executor::AddOperand(nest, static_cast<char*>(view.data), view.strides);
  if (IsComplex(view.dtype)) {
    executor::AddOperand(nest, static_cast<char*>(view.data) + ItemSize(real), view.strides);
  }
  executor::OptimizeNest(nest);
  bool finite = true;
  executor::ForEachRun(nest, [&](char* const* pointers, const int64_t* strides, int64_t n) {
    for (int i = 0; finite && i < nest.num_operands; ++i) {
      finite = real == DType::kFloat32 ? RunIsFinite<float>(pointers[i], strides[i], n)
                                       : RunIsFinite<double>(pointers[i], strides[i], n);
    }
  });
  return finite;
}

absl::Status Unexpected() {
  return absl::AbortedError("a NumPy function gave something else than expected");
}

absl::StatusOr<std::shared_ptr<executor::LibraryCallResult>> Checked(
    Ref object, const LibraryCall& call, const executor::LibraryCallArguments& arguments) {
  const bool is_array = IsNumpyArray(object.get());
  if (is_array == call.gives_scalar || (!is_array && !IsNumpyScalar(object.get()))) {
    return Unexpected();
  }
  if (call.gives_c_order && is_array && !PyArray_IS_C_CONTIGUOUS(AsArray(object.get()))) {
    if (!arguments.has_free_orders) return Unexpected();
    object = Ref::Steal(PyArray_NewCopy(AsArray(object.get()), NPY_CORDER));
    if (!object) {
      PyErr_Clear();
      return Unexpected();
    }
  }
  auto result = std::make_shared<NumpyResult>();
  ReadNumpy(object.get(), &result->view, result->bytes);
  if (IsBitsOf(arguments.dtype, result->view.dtype)) result->view.dtype = arguments.dtype;
  const StridedView& view = result->view;
  const auto keeps = [](int64_t promised, int64_t size) {
    return promised < 0 || promised == size;
  };
  if (view.dtype != arguments.dtype || view.rank != static_cast<int>(arguments.shape.size()) ||
      !std::equal(arguments.shape.begin(), arguments.shape.end(), view.shape, keeps)) {
    return Unexpected();
  }
  result->object = std::move(object);
  return result;
}

}  // namespace

// The arrays that were handed to one call; they lie over memory that the run owns.
class Holes {
 public:
  Holes(absl::Span<const StridedView> operands, const LibraryCall& call)
      : operands_(operands.begin(), operands.end()), call_(call) {}

  // Copies operands that are one array of the graph, but two of the program.
  absl::Status KeepApart() {
    for (size_t i = 1; i < std::min(operands_.size(), call_.apart_from.size()); ++i) {
      for (size_t j = 0; j < std::min(i, kMaxOperandsApart); ++j) {
        const bool apart = (call_.apart_from[i] >> j & 1) != 0;
        if (!apart || !MayOverlap(operands_[i], operands_[j])) continue;
        copies_.push_back(std::make_unique<executor::ScratchBlock>());
        StridedView copy;
        DYNACC_RETURN_IF_ERROR(executor::CopyAsItLies(operands_[i], *copies_.back(), copy));
        operands_[i] = copy;
      }
    }
    return absl::OkStatus();
  }

  PyObject* Fill(const LibraryCallArg& hole) {
    if (hole.kind == LibraryCallArg::Kind::kObject) {
      return Py_NewRef(arrays::RunScope::Current()->object(hole.operand));
    }
    if (hole.kind == LibraryCallArg::Kind::kMade) {
      return Py_XNewRef(arrays::RunScope::Current()->made(hole.operand));
    }
    const StridedView& view = operands_[hole.operand];
    if (hole.kind == LibraryCallArg::Kind::kNumber) return PythonNumber(view);
    if (hole.kind == LibraryCallArg::Kind::kScalar) {
      return PyArray_Scalar(view.data, Descr(view.dtype), nullptr);
    }
    arrays_.push_back(Ref::Steal(ArrayOver(view, call_.wants_writable)));
    return Ref(arrays_.back()).Release();
  }

  bool AreFinite() const { return std::all_of(operands_.begin(), operands_.end(), IsFinite); }

  // Whether the function let go of them all.
  bool AreFree() const {
    return std::all_of(arrays_.begin(), arrays_.end(),
                       [](const Ref& array) { return Py_REFCNT(array.get()) == 1; });
  }

 private:
  boost::container::small_vector<StridedView, 4> operands_;
  const LibraryCall& call_;
  std::vector<std::unique_ptr<executor::ScratchBlock>> copies_;
  boost::container::small_vector<Ref, 4> arrays_;
};

namespace {

Ref MakeSequence(const LibraryCallArg& argument, const FillHole& fill) {
  const bool is_list = argument.kind == LibraryCallArg::Kind::kList;
  const auto size = static_cast<Py_ssize_t>(argument.items.size());
  Ref sequence = Ref::Steal(is_list ? PyList_New(size) : PyTuple_New(size));
  for (Py_ssize_t i = 0; sequence && i < size; ++i) {
    Ref item = MakeArgument(argument.items[i], fill);
    if (!item) return {};
    if (is_list) {
      PyList_SET_ITEM(sequence.get(), i, item.Release());
    } else {
      PyTuple_SET_ITEM(sequence.get(), i, item.Release());
    }
  }
  return sequence;
}

Ref MakeSlice(const LibraryCallArg& argument, const FillHole& fill) {
  Ref parts[3];
  for (int i = 0; i < 3; ++i) {
    parts[i] = MakeArgument(argument.items[i], fill);
    if (!parts[i]) return {};
  }
  return Ref::Steal(PySlice_New(parts[0].get(), parts[1].get(), parts[2].get()));
}

// Whether two constants of calls mean the same: one object, or equal numbers and texts, of which
// code that is defined again has others.
bool IsSameConstant(BorrowedRef a, BorrowedRef b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyLong_CheckExact(a)) return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
  if (PyUnicode_CheckExact(a)) return PyUnicode_Compare(a, b) == 0;
  if (!PyFloat_CheckExact(a)) return false;
  const double values[] = {PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b)};
  return std::memcmp(&values[0], &values[1], sizeof(double)) == 0;  // zeros have signs
}

bool SetErrorState(BorrowedRef state) {
  return ErrorSetter() != nullptr &&
         static_cast<bool>(Ref::Steal(PyObject_CallOneArg(ErrorSetter(), state)));
}

}  // namespace

bool LibraryCallArg::operator==(const LibraryCallArg& other) const {
  return kind == other.kind && operand == other.operand &&
         IsSameConstant(constant.get(), other.constant.get()) && items == other.items;
}

bool LibraryCall::operator==(const LibraryCall& other) const {
  return SameArguments(other) && item == other.item && gives_scalar == other.gives_scalar &&
         gives_number == other.gives_number && generator.get() == other.generator.get() &&
         gives_c_order == other.gives_c_order && view == other.view && draw == other.draw &&
         is_quiet == other.is_quiet && reported == other.reported && may_warn == other.may_warn &&
         may_raise == other.may_raise && may_print == other.may_print &&
         wants_writable == other.wants_writable;
}

bool LibraryCall::SameArguments(const LibraryCall& other) const {
  return callable.get() == other.callable.get() && positional == other.positional &&
         keywords == other.keywords && apart_from == other.apart_from;
}

Ref MakeArgument(const LibraryCallArg& argument, const FillHole& fill) {
  using Kind = LibraryCallArg::Kind;
  if (argument.kind == Kind::kConstant) return argument.constant;
  if (argument.kind == Kind::kSlice) return MakeSlice(argument, fill);
  if (argument.kind == Kind::kTuple || argument.kind == Kind::kList) {
    return MakeSequence(argument, fill);
  }
  return Ref::Steal(fill(argument));
}

Ref CallLibrary(const LibraryCall& call, const FillHole& fill) {
  Ref args = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(call.positional.size())));
  for (size_t i = 0; args && i < call.positional.size(); ++i) {
    Ref argument = MakeArgument(call.positional[i], fill);
    if (!argument) return {};
    PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i), argument.Release());
  }
  Ref keywords = call.keywords.empty() ? Ref() : Ref::Steal(PyDict_New());
  for (const auto& [name, argument] : call.keywords) {
    Ref value = MakeArgument(argument, fill);
    if (!value || PyDict_SetItemString(keywords.get(), name.c_str(), value.get()) < 0) return {};
  }
  if (!args) return {};
  std::optional<HeldInterruptions> held;
  if (!call.may_raise) held.emplace();
  return Ref::Steal(UpToThreadEnd(
      [&] { return PyObject_Call(call.callable.get(), args.get(), keywords.get()); }));
}

namespace {

thread_local uint64_t floating_point_errors = 0;  // that a WatchedErrorState was told of
thread_local bool raises_errors = false;          // of those

PyObject* CountError(PyObject*, PyObject*) {
  ++floating_point_errors;
  if (!raises_errors) return Py_NewRef(Py_None);
  PyErr_SetString(PyExc_FloatingPointError, "in a library call");
  return nullptr;
}

PyMethodDef count_error_method = {"count_error", CountError, METH_VARARGS, nullptr};

// A str attribute of an object of NumPy's own or of CPython's; "" if there is none.
std::string NameIn(BorrowedRef object, const char* attribute) {
  const Ref name = Ref::Steal(PyObject_GetAttrString(object, attribute));
  if (!name) PyErr_Clear();
  return name && PyUnicode_Check(name.get()) ? StrText(name.get()) : "";
}

// "numpy.linalg.solve", "numpy.ndarray.sort".
std::string NameOfCallable(BorrowedRef callable) {
  if (Py_IS_TYPE(callable, &PyMethodDescr_Type) || Py_IS_TYPE(callable, &PyWrapperDescr_Type)) {
    auto* method = reinterpret_cast<PyDescrObject*>(callable);
    return absl::StrCat(method->d_type->tp_name, ".", StrText(method->d_name));
  }
  if (PyType_Check(callable)) return reinterpret_cast<PyTypeObject*>(callable)->tp_name;
  const std::string module = NameIn(callable, "__module__"), name = NameIn(callable, "__name__");
  if (name.empty()) return "object";
  if (Py_IS_TYPE(callable, &PyUFunc_Type)) {
    const bool is_numpys =
        PyDict_GetItemString(PyModule_GetDict(CoreModule()), name.c_str()) == callable;
    return is_numpys ? absl::StrCat("numpy.", name) : name;
  }
  return module.empty() ? name : absl::StrCat(module, ".", name);
}

// Such as graph text can hold: nothing that opens or closes a bracket, and no '%'.
std::string TextOfConstant(BorrowedRef constant) {
  if (PyArray_DescrCheck(constant)) {
    return reinterpret_cast<PyArray_Descr*>(constant)->typeobj->tp_name;
  }
  if (PyType_Check(constant)) return reinterpret_cast<PyTypeObject*>(constant)->tp_name;
  const bool is_plain = constant == Py_None || constant == Py_Ellipsis || PyBool_Check(constant) ||
                        PyLong_CheckExact(constant) || PyFloat_CheckExact(constant) ||
                        PyUnicode_CheckExact(constant);
  const Ref repr = is_plain ? Ref::Steal(PyObject_Repr(constant)) : Ref();
  PyErr_Clear();
  const std::string text = repr ? StrText(repr.get()) : "";
  const bool fits =
      !text.empty() && text.size() <= 40 && text.find_first_of("%()[]#\n") == text.npos;
  return fits ? text : absl::StrCat("<", TypeName(constant), ">");
}

std::string TextOfArgument(const LibraryCallArg& argument) {
  const auto items = [&argument](const char* separator) {
    return absl::StrJoin(argument.items, separator,
                         [](std::string* out, const LibraryCallArg& item) {
                           absl::StrAppend(out, TextOfArgument(item));
                         });
  };
  switch (argument.kind) {
    case LibraryCallArg::Kind::kArray:
    case LibraryCallArg::Kind::kScalar:
    case LibraryCallArg::Kind::kNumber:
      return absl::StrCat("%", argument.operand);
    case LibraryCallArg::Kind::kConstant:
      return TextOfConstant(argument.constant.get());
    case LibraryCallArg::Kind::kTuple:
      return absl::StrCat("(", items(", "), argument.items.size() == 1 ? ",)" : ")");
    case LibraryCallArg::Kind::kList:
      return absl::StrCat("[", items(", "), "]");
    case LibraryCallArg::Kind::kSlice:
      return items(":");
    case LibraryCallArg::Kind::kObject:
    case LibraryCallArg::Kind::kMade:
      return "<object>";
  }
  return "";
}

// What FindCallText gives.
std::string TextOf(const LibraryCall& call) {
  std::vector<std::string> arguments;
  for (const LibraryCallArg& argument : call.positional) {
    arguments.push_back(TextOfArgument(argument));
  }
  for (const auto& [name, argument] : call.keywords) {
    arguments.push_back(absl::StrCat(name, "=", TextOfArgument(argument)));
  }
  return absl::StrCat(NameOfCallable(call.callable.get()), "(", absl::StrJoin(arguments, ", "), ")",
                      call.item < 0 ? "" : absl::StrCat("[", call.item, "]"));
}

}  // namespace

WatchedErrorState::WatchedErrorState(std::optional<uint32_t> reported, bool raises)
    : errors_before_(floating_point_errors), raised_before_(std::exchange(raises_errors, raises)) {
  static PyObject* const count_error = PyCFunction_New(&count_error_method, nullptr);
  const std::optional<ErrorSettings> now = ReadErrorSettings();
  if (!now || ErrorGetter() == nullptr) return;
  const int mask = CallingMask(reported.value_or(ReportedByMask(now->mask)));
  Ref old_state = Ref::Steal(PyObject_CallNoArgs(ErrorGetter()));
  Ref state = Ref::Steal(Py_BuildValue("[iiO]", now->buffer_size, mask, count_error));
  if (state && old_state && SetErrorState(state.get())) saved_ = std::move(old_state);
  PyErr_Clear();
}

WatchedErrorState::~WatchedErrorState() {
  raises_errors = raised_before_;
  if (!saved_) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  SetErrorState(saved_.get());
  PyErr_Restore(type, value, traceback);
}

bool WatchedErrorState::HasErrors() const { return floating_point_errors != errors_before_; }

int64_t NumpyLibraryCaller::Register(LibraryCall call) {
  for (size_t i = 0; i < calls_.size(); ++i) {
    if (*calls_[i].call == call) return static_cast<int64_t>(i);
  }
  const auto id = static_cast<int64_t>(calls_.size());
  executor::SayCallReads(id, TextOf(call));
  if (auto own = OwnCallOf(call, NameOfCallable(call.callable.get()))) {
    executor::SayCallIsOwn(id, *std::move(own));
  }
  calls_.push_back({std::make_shared<const LibraryCall>(std::move(call)), {}});
  return id;
}

absl::StatusOr<std::shared_ptr<executor::LibraryCallResult>> NumpyLibraryCaller::Call(
    const executor::LibraryCallArguments& arguments) {
  if (arguments.library_call_id < 0 ||
      arguments.library_call_id >= static_cast<int64_t>(calls_.size())) {  // of a graph from a text
    return absl::InvalidArgumentError(
        absl::StrCat("this process has no library call ", arguments.library_call_id));
  }
  // Other threads may register calls while this one runs: nothing in `calls_` is referred to then.
  const Ref kept = calls_[arguments.library_call_id].kept;
  const std::shared_ptr<const LibraryCall> call = calls_[arguments.library_call_id].call;
  if (kept && !arguments.is_output) return Checked(kept, *call, arguments);
  if (!KeepState(*call)) {
    PyErr_Clear();
    return absl::AbortedError("a generator whose state cannot be kept");
  }
  Holes holes(arguments.inputs, *call);
  if (call->may_print && !holes.AreFinite()) {
    return absl::AbortedError("numbers that are not finite, of which LAPACK prints");
  }
  DYNACC_RETURN_IF_ERROR(holes.KeepApart());
  Ref object;
  if (kept) {
    object = Ref::Steal(PyArray_NewCopy(AsArray(kept.get()), NPY_KEEPORDER));
  } else {
    std::optional<WatchedErrorState> watched;
    // What LAPACK prints of numbers that an error made is not to be printed twice.
    if (!call->is_quiet) watched.emplace(call->reported, /*raises=*/call->may_print);
    std::optional<WarningsAs> errors;
    if (call->may_warn) errors.emplace("error");
    object = Result(call, arguments, holes);
    if (object && watched && watched->HasErrors()) return Failed(*call);
  }
  if (!object) return Failed(*call);
  if (!holes.AreFree()) return Unexpected();
  if (arguments.inputs.empty() && !arguments.is_output && call->draw == 0 &&
      PyArray_CheckExact(object.get()) &&
      PyArray_CHKFLAGS(AsArray(object.get()), NPY_ARRAY_OWNDATA) &&
      BytesOf(AsArray(object.get())) <= kMaxKeptBytes) {
    Keep(arguments.library_call_id, object);
  }
  return Checked(std::move(object), *call, arguments);
}

void NumpyLibraryCaller::Keep(int64_t id, const Ref& object) {
  kept_bytes_ += BytesOf(AsArray(object.get()));
  std::vector<Ref> let_go;  // dies last: it may run Python code
  if (kept_bytes_ > kMaxAllKeptBytes) {
    for (Registered& registered : calls_) let_go.push_back(std::move(registered.kept));
    kept_bytes_ = BytesOf(AsArray(object.get()));
  }
  calls_[id].kept = object;
}

Ref NumpyLibraryCaller::NextItem(const LibraryCall& call, absl::Span<const StridedView> inputs) {
  if (items_.call == nullptr || call.item <= 0 || items_.next != call.item ||
      !items_.call->SameArguments(call) || items_.inputs.size() != inputs.size()) {
    return {};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (items_.inputs[i] != inputs[i].data) return {};
  }
  Ref item = Ref::Steal(PySequence_GetItem(items_.items.get(), items_.next++));
  if (items_.next >= PySequence_Size(items_.items.get())) items_ = Items();
  return item;
}

Ref NumpyLibraryCaller::Result(const std::shared_ptr<const LibraryCall>& call,
                               const executor::LibraryCallArguments& arguments, Holes& holes) {
  if (Ref next = NextItem(*call, arguments.inputs)) return next;
  Ref object =
      CallLibrary(*call, [&holes](const LibraryCallArg& hole) { return holes.Fill(hole); });
  if (object && call->gives_number) return ScalarOf(object.get());
  if (!object || call->item < 0) return object;
  if (call->item == 0) {
    items_ = {call, {}, object, 1};
    for (const StridedView& input : arguments.inputs) items_.inputs.push_back(input.data);
  }
  return Ref::Steal(PySequence_GetItem(object.get(), call->item));
}

NumpyLibraryCaller& TheNumpyLibraryCaller() {
  static NumpyLibraryCaller& caller =
      *new NumpyLibraryCaller;  // entries refer to its calls until exit
  return caller;
}

Ref NumpyLibraryCaller::ObjectOf(const executor::LibraryCallResult& result) {
  return static_cast<const NumpyResult&>(result).object;
}

}  // namespace dynacc::numpy
