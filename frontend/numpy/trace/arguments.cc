#include "frontend/numpy/trace/arguments.h"

#include <algorithm>

#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/warnings_scope.h"
#include "frontend/numpy/trace/known_int.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// The object behind a value that is a constant, or that is guarded to be this very object.
BorrowedRef ObjectOf(symbolic::TraceContext& trace, symbolic::Value* value) {
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value)) return constant->object.get();
  auto* object = symbolic::As<symbolic::ObjectValue>(value);
  if (object == nullptr || object->source() == nullptr) return nullptr;
  trace.AddGuard(guards::GuardKind::kIdentity, object->source(), object->object.get());
  return object->object.get();
}

// Whether turning the object into a dtype runs no code of the program.
bool NamesDType(BorrowedRef object) {
  if (PyArray_DescrCheck(object) || PyUnicode_CheckExact(object)) return true;
  if (!PyType_Check(object)) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(object);
  return type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type ||
         type == &PyComplex_Type || PyType_IsSubtype(type, &PyGenericArrType_Type);
}

}  // namespace

std::optional<std::vector<symbolic::Value*>> ItemsOf(symbolic::TraceContext& trace,
                                                     symbolic::Value* value) {
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value)) return tuple->items;
  if (auto* list = symbolic::As<symbolic::ListValue>(value); list != nullptr && !list->open)
    return list->items;
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr || !PyTuple_CheckExact(constant->object.get())) return std::nullopt;
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constant->object.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(constant->object.get(), i);
    items.push_back(trace.New<symbolic::ConstantValue>(Ref::New(item)));
  }
  return items;
}

absl::StatusOr<int64_t> AxisFrom(symbolic::TraceContext& trace, symbolic::Value* value, int rank) {
  DYNACC_ASSIGN_OR_RETURN(int64_t axis, KnownInt(trace, value));
  if (axis < -rank || axis >= rank) return symbolic::RaisingBreak("an axis out of range");
  return axis < 0 ? axis + rank : axis;
}

absl::StatusOr<std::vector<int64_t>> AxesFrom(symbolic::TraceContext& trace, symbolic::Value* value,
                                              int rank) {
  std::vector<int64_t> axes;
  const bool is_list = value->kind() == symbolic::ValueKind::kList;  // NumPy raises TypeError
  const auto items = is_list ? std::nullopt : ItemsOf(trace, value);
  for (symbolic::Value* item : items ? *items : std::vector<symbolic::Value*>{value}) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t axis, AxisFrom(trace, item, rank));
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      return symbolic::RaisingBreak("an axis that is given twice");
    }
    axes.push_back(axis);
  }
  return axes;
}

absl::StatusOr<Shape> ShapeFrom(symbolic::TraceContext& trace,
                                absl::Span<symbolic::Value* const> sizes) {
  Shape shape;
  for (symbolic::Value* value : sizes) {
    DYNACC_RETURN_IF_ERROR(RefuseBool(value));
    DYNACC_ASSIGN_OR_RETURN(const Size size, SizeFrom(trace, value));
    shape.push_back(size);
  }
  if (shape.rank() > kMaxRank) return symbolic::GraphBreak("an array of a high rank");
  return shape;
}

absl::StatusOr<Shape> ShapeFrom(symbolic::TraceContext& trace, symbolic::Value* value) {
  const auto items = ItemsOf(trace, value);
  return ShapeFrom(trace, items ? *items : std::vector<symbolic::Value*>{value});
}

absl::StatusOr<DType> DTypeFrom(symbolic::TraceContext& trace, symbolic::Value* value) {
  BorrowedRef object = ObjectOf(trace, value);
  if (object == nullptr || !NamesDType(object))
    return symbolic::GraphBreak("a dtype that is not constant");
  PyArray_Descr* descr = nullptr;
  const WarningsAs errors("error");  // what warns is the program's to do
  if (PyArray_DescrConverter(object, &descr) == NPY_FAIL) {
    PyErr_Clear();
    return symbolic::GraphBreak("a dtype that NumPy does not know");
  }
  const std::optional<DType> dtype = FromDescr(descr);
  Py_DECREF(descr);
  if (!dtype) return symbolic::GraphBreak("a dtype that kernels do not handle");
  return *dtype;
}

}  // namespace dynacc::numpy
