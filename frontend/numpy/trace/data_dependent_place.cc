#include "frontend/numpy/trace/data_dependent_place.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/number_calls.h"
#include "frontend/symbolic/slice_parts.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// An array of so many elements, all of them one byte that nobody reads: a call defines a
// data-dependent number as a size of what it gives.
PyObject* AsManyAs(npy_intp count) {
  static char element = 0;
  npy_intp stride = 0;
  return PyArray_New(&PyArray_Type, 1, &count, NPY_BOOL, &stride, &element, 1, 0, nullptr);
}

// The two arguments of the functions below; false with an exception set.
bool ReadArguments(PyObject* const* args, Py_ssize_t* given, Py_ssize_t* size) {
  *given = PyNumber_AsSsize_t(args[0], nullptr);
  if (*given == -1 && PyErr_Occurred()) return false;
  *size = PyNumber_AsSsize_t(args[1], nullptr);
  if (*given < 0) *given += *size;
  return true;
}

// index(i, size): which element of an axis of that size `[i]` is.
PyObject* Index(PyObject*, PyObject* const* args, Py_ssize_t) {
  Py_ssize_t index, size;
  if (!ReadArguments(args, &index, &size)) return nullptr;
  if (index >= 0 && index < size) return AsManyAs(index);
  PyErr_SetString(PyExc_IndexError, "an index out of bounds");
  return nullptr;
}

// bound(i, size): where `[i:]` starts on an axis of that size.
PyObject* Bound(PyObject*, PyObject* const* args, Py_ssize_t) {
  Py_ssize_t bound, size;
  if (!ReadArguments(args, &bound, &size)) return nullptr;
  return AsManyAs(std::clamp<Py_ssize_t>(bound, 0, size));
}

PyCFunction Fast(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef index_method = {"index", Fast(Index), METH_FASTCALL, nullptr};
PyMethodDef bound_method = {"bound", Fast(Bound), METH_FASTCALL, nullptr};

BorrowedRef IndexFunction() {
  static PyObject* const function = PyCFunction_New(&index_method, nullptr);
  return function;
}

BorrowedRef BoundFunction() {
  static PyObject* const function = PyCFunction_New(&bound_method, nullptr);
  return function;
}

// A NumPy int or a Python int that the graph computes.
bool IsComputedInt(symbolic::Value* value) {
  if (auto* number = ScalarOfNumber(value)) return number->node->dtype == DType::kInt64;
  auto* tensor = symbolic::As<symbolic::TensorValue>(value);
  return tensor != nullptr && tensor->is_scalar && !tensor->is_native &&
         IsInteger(tensor->node->dtype) && !IsKnownInt(value);
}

// The data-dependent number that an equal call has defined before; kNoScalar if there was none.
ScalarId DefinedBefore(symbolic::TraceContext& trace, const TracedCall& traced) {
  const int64_t id = TheNumpyLibraryCaller().Register(traced.call);
  for (const ir::Node* node : trace.graph().nodes()) {
    const ScalarId defined = ir::DefinedBy(*node);
    if (defined != kNoScalar && node->attrs.call == id &&
        absl::c_equal(node->operands, traced.operands)) {
      return defined;
    }
  }
  return kNoScalar;
}

// What the function says of the computed int, as a data-dependent number.
absl::StatusOr<symbolic::Value*> PlaceOf(symbolic::TraceContext& trace, BorrowedRef function,
                                         symbolic::Value* computed, Size size) {
  if (!trace.takes_data_dependent_sizes())
    return symbolic::GraphBreak("a view at an index that arrays compute");
  symbolic::Value* const args[] = {computed, ToValue(trace, size)};
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, function, {args, {}}));
  traced.call.is_quiet = true;
  DYNACC_RETURN_IF_ERROR(TryOutSmall(traced).status());  // before there is a number to define
  DataDependentResult place;
  place.size = {DefinedBefore(trace, traced), symbolic::TraceContext::kDataDependentHint};
  if (place.size.id == kNoScalar) {
    place.size.id = trace.AddDataDependent();
    place.items.resize(1);
    place.items[0].push_back(place.size);
    DYNACC_RETURN_IF_ERROR(EmitDataDependent(trace, std::move(traced), place).status());
  }
  return trace.New<symbolic::NumberValue>(
      place.size.id, ScalarType::kInt,
      ScalarValue{.i = symbolic::TraceContext::kDataDependentHint});
}

// How many axes of the array the item of a key is about; nothing for one that a view cannot have.
std::optional<int> AxesOf(symbolic::TraceContext& trace, symbolic::Value* item) {
  auto* const constant = symbolic::As<symbolic::ConstantValue>(item);
  if (constant != nullptr && constant->object.get() == Py_None) return 0;
  if (IsComputedInt(item) || IsKnownInt(item) || SliceFrom(trace, item) != nullptr) return 1;
  if (constant != nullptr && PyLong_CheckExact(constant->object.get())) return 1;
  auto* const number = symbolic::As<symbolic::NumberValue>(item);
  return number != nullptr && number->type == ScalarType::kInt ? std::optional<int>(1)
                                                               : std::nullopt;
}

bool IsEllipsis(symbolic::Value* item) {
  auto* const constant = symbolic::As<symbolic::ConstantValue>(item);
  return constant != nullptr && constant->object.get() == Py_Ellipsis;
}

absl::StatusOr<symbolic::Value*> ItemWithPlaces(symbolic::TraceContext& trace,
                                                symbolic::Value* item, Size size) {
  if (IsComputedInt(item)) return PlaceOf(trace, IndexFunction(), item, size);
  auto* const slice = SliceFrom(trace, item);
  if (slice == nullptr) return item;
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * start, BoundWithPlace(trace, slice->start, size));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * stop, BoundWithPlace(trace, slice->stop, size));
  if (start == slice->start && stop == slice->stop) return item;
  return trace.New<symbolic::SliceValue>(start, stop, slice->step);
}

}  // namespace

bool TakeForGranted(symbolic::TraceContext& trace, ScalarOp op, Size a, Size b) {
  ScalarProgram& scalars = trace.graph().scalars();
  const ScalarId condition = scalars.Apply(op, a.id, b.id);
  const ScalarExpr& expr = scalars.expr(condition);
  if (expr.op == ScalarOp::kConst && expr.value.i == 0) return false;
  trace.RequireTrue(condition);
  return true;
}

absl::StatusOr<symbolic::Value*> BoundWithPlace(symbolic::TraceContext& trace,
                                                symbolic::Value* bound, Size size) {
  if (!IsComputedInt(bound)) return bound;
  return PlaceOf(trace, BoundFunction(), bound, size);
}

absl::StatusOr<symbolic::Value*> KeyWithPlaces(symbolic::TraceContext& trace, NumpyTensor* a,
                                               symbolic::Value* key) {
  const auto several =
      key->kind() == symbolic::ValueKind::kList ? std::nullopt : ItemsOf(trace, key);
  std::vector<symbolic::Value*> items = several ? *several : std::vector<symbolic::Value*>{key};
  int unnamed = a->node->rank();
  for (symbolic::Value* item : items) {
    const std::optional<int> axes = IsEllipsis(item) ? 0 : AxesOf(trace, item);
    if (!axes) return symbolic::GraphBreak("indexing with an array or another object");
    unnamed -= *axes;
  }
  if (unnamed < 0) return symbolic::RaisingBreak("a key with too many indices");
  int axis = 0;
  bool has_places = false;
  for (symbolic::Value*& item : items) {
    const int axes = IsEllipsis(item) ? unnamed : *AxesOf(trace, item);
    if (!IsEllipsis(item) && axes > 0) {
      DYNACC_ASSIGN_OR_RETURN(symbolic::Value * placed,
                              ItemWithPlaces(trace, item, SizeOf(a, axis)));
      has_places = has_places || placed != item;
      item = placed;
    }
    axis += axes;
  }
  if (!has_places) return symbolic::GraphBreak("indexing with an array or another object");
  return several ? trace.New<symbolic::TupleValue>(std::move(items)) : items.front();
}

}  // namespace dynacc::numpy
