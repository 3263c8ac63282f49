#include "frontend/numpy/trace/pure_calls.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/capi/warnings_scope.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/library_call.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {

// What a function asks of an array among its arguments.
enum class Asks : uint8_t { kDType, kNumbers };

struct NumpyPureRow {
  absl::string_view name;
  Asks asks;
};

namespace {

constexpr NumpyPureRow kRows[] = {
#define DYNACC_NUMPY_PURE(name, asks) {name, Asks::asks},
#include "frontend/numpy/trace/numpy_pure.def"
#undef DYNACC_NUMPY_PURE
};

// Attributes that are computed once and never warn.
constexpr absl::string_view kDTypeParts[] = {"char", "kind", "name",     "str",
                                             "num",  "type", "itemsize", "byteorder"};
constexpr absl::string_view kLimitParts[] = {"eps",       "max",  "min",   "resolution",
                                             "precision", "bits", "dtype", "smallest_normal"};

// Whether it is a result of finfo or iinfo.
bool IsLimits(BorrowedRef object) {
  const NumpyCallable* const type = FindCallable(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  return type != nullptr && type->pure != nullptr;
}

// An array of the tensor's dtype and rank; numbers that are not known break.
absl::StatusOr<Ref> ExampleOf(const NumpyTensor& tensor, Asks asks) {
  if (tensor.is_native) return symbolic::GraphBreak("an argument of an unknown kind");
  if (tensor.node->rank() == 0) {
    if (tensor.object && tensor.source() == nullptr) return tensor.object;
    return symbolic::GraphBreak("a question about a number that the graph computes");
  }
  if (asks == Asks::kNumbers) return symbolic::GraphBreak("sizes or axes in an array");
  const std::vector<npy_intp> ones(tensor.node->rank(), 1);
  return Ref::Steal(PyArray_ZEROS(static_cast<int>(ones.size()), ones.data(),
                                  TypeNum(tensor.node->dtype), /*is_f_order=*/0));
}

absl::StatusOr<Ref> ArgumentOf(symbolic::TraceContext& trace, symbolic::Value* value, Asks asks);

// A tuple of the arguments, of which a list may be made.
absl::StatusOr<Ref> TupleOf(symbolic::TraceContext& trace, absl::Span<symbolic::Value* const> items,
                            Asks asks) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  for (size_t i = 0; tuple && i < items.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(Ref item, ArgumentOf(trace, items[i], asks));
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item.Release());
  }
  return tuple;
}

absl::StatusOr<Ref> ArgumentOf(symbolic::TraceContext& trace, symbolic::Value* value, Asks asks) {
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value))
    return ExampleOf(*AsNumpy(tensor), asks);
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value))
    return TupleOf(trace, tuple->items, asks);
  if (auto* list = symbolic::As<symbolic::ListValue>(value); list != nullptr && !list->open) {
    DYNACC_ASSIGN_OR_RETURN(const Ref items, TupleOf(trace, list->items, asks));
    return Ref::Steal(PySequence_List(items.get()));
  }
  if (auto* number = symbolic::As<symbolic::NumberValue>(value)) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t constant, trace.ConstantInt(number));
    return Ref::Steal(PyLong_FromLongLong(constant));
  }
  return KnownArgument(trace, value);
}

// Whether a class or function says that it was defined in numpy.
bool IsInNumpy(BorrowedRef object) {
  const Ref module = Ref::Steal(PyObject_GetAttrString(object, "__module__"));
  const char* const text =
      module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
  PyErr_Clear();
  return text != nullptr && absl::StartsWith(text, "numpy");
}

// Whether a dtype compares with it and calls nobody's code: a dtype, a text, a class of numbers.
bool StandsForDType(BorrowedRef object) {
  if (IsBuiltinDType(object) || PyUnicode_CheckExact(object)) return true;
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
      object == reinterpret_cast<PyObject*>(&PyLong_Type) ||
      object == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    return true;
  }
  for (int i = 0; i < kNumDTypes; ++i) {
    const PyArray_Descr* const descr = Descr(static_cast<DType>(i));
    if (descr != nullptr && object == reinterpret_cast<PyObject*>(descr->typeobj)) return true;
  }
  return false;
}

bool IsKnownResult(BorrowedRef object) { return IsPlainArgument(object) || IsLimits(object); }

}  // namespace

void LearnPureFunctions(BorrowedRef numpy_module) {
  for (const NumpyPureRow& row : kRows) {
    BorrowedRef object = FindDotted(numpy_module, row.name);
    if (object == nullptr || !(PyCFunction_Check(object) || IsInNumpy(object))) continue;
    NumpyCallable& callable = LearnCallable(object);
    callable.whole = CallPure;
    callable.pure = &row;
  }
}

absl::StatusOr<symbolic::Value*> CallPure(symbolic::TraceContext& trace, BorrowedRef callable,
                                          const arrays::CallArgs& args) {
  const Asks asks = FindCallable(callable)->pure->asks;
  DYNACC_ASSIGN_OR_RETURN(const Ref positional, TupleOf(trace, args.positional, asks));
  const Ref keywords = Ref::Steal(PyDict_New());
  if (!positional || !keywords) return symbolic::GraphBreak("no memory for arguments");
  for (const auto& [name, value] : args.keywords) {
    DYNACC_ASSIGN_OR_RETURN(const Ref item, ArgumentOf(trace, value, asks));
    PyDict_SetItem(keywords.get(), name.object(), item.get());
  }
  const WarningsAs errors("error");
  Ref result = Ref::Steal(PyObject_Call(callable, positional.get(), keywords.get()));
  PyErr_Clear();
  if (!result) return symbolic::RaisingBreak("a call that raises");
  if (!IsKnownResult(result.get())) return symbolic::GraphBreak("a result that is no constant");
  return trace.New<symbolic::ConstantValue>(std::move(result));
}

bool IsBuiltinDType(BorrowedRef object) {
  if (!PyArray_DescrCheck(object)) return false;
  const std::optional<DType> dtype = FromDescr(reinterpret_cast<PyArray_Descr*>(object));
  return dtype && reinterpret_cast<PyObject*>(Descr(*dtype)) == object;
}

Ref EqualDTypes(symbolic::TraceContext& trace, symbolic::Value* a, symbolic::Value* b) {
  const absl::StatusOr<Ref> left = KnownArgument(trace, a);
  const absl::StatusOr<Ref> right = KnownArgument(trace, b);
  if (!left.ok() || !right.ok() || !StandsForDType(left->get()) || !StandsForDType(right->get())) {
    return {};
  }
  const WarningsAs errors("error");
  Ref equal = Ref::Steal(PyObject_RichCompare(left->get(), right->get(), Py_EQ));
  PyErr_Clear();
  return equal;
}

Ref ConstantAttribute(BorrowedRef object, absl::string_view name) {
  const bool is_part = PyArray_DescrCheck(object)
                           ? IsBuiltinDType(object) && absl::c_linear_search(kDTypeParts, name)
                           : IsLimits(object) && absl::c_linear_search(kLimitParts, name);
  if (!is_part) return {};
  Ref part = Ref::Steal(PyObject_GetAttrString(object, std::string(name).c_str()));
  PyErr_Clear();
  return part;
}

}  // namespace dynacc::numpy
