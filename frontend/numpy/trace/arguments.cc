#include "frontend/numpy/trace/arguments.h"

#include <algorithm>

#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/known_int.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// The object behind a value that is a constant, or that is guarded to be this very object.
BorrowedRef ObjectOf(TraceContext& trace, Value* value) {
  if (auto* constant = As<ConstantValue>(value)) return constant->object.get();
  auto* object = As<ObjectValue>(value);
  if (object == nullptr || object->source() == nullptr) return nullptr;
  trace.AddGuard(GuardKind::kIdentity, object->source(), object->object.get());
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

std::optional<std::vector<Value*>> ItemsOf(TraceContext& trace, Value* value) {
  if (auto* tuple = As<TupleValue>(value)) return tuple->items;
  if (auto* list = As<ListValue>(value); list != nullptr && !list->open) return list->items;
  auto* constant = As<ConstantValue>(value);
  if (constant == nullptr || !PyTuple_CheckExact(constant->object.get())) return std::nullopt;
  std::vector<Value*> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constant->object.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(constant->object.get(), i);
    items.push_back(trace.New<ConstantValue>(Ref::New(item)));
  }
  return items;
}

absl::StatusOr<int64_t> AxisFrom(TraceContext& trace, Value* value, int rank) {
  DYNACC_ASSIGN_OR_RETURN(int64_t axis, KnownInt(trace, value));
  if (axis < -rank || axis >= rank) return RaisingBreak("an axis out of range");
  return axis < 0 ? axis + rank : axis;
}

absl::StatusOr<std::vector<int64_t>> AxesFrom(TraceContext& trace, Value* value, int rank) {
  std::vector<int64_t> axes;
  const bool is_list = value->kind() == ValueKind::kList;  // NumPy raises TypeError
  const auto items = is_list ? std::nullopt : ItemsOf(trace, value);
  for (Value* item : items ? *items : std::vector<Value*>{value}) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t axis, AxisFrom(trace, item, rank));
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      return RaisingBreak("an axis that is given twice");
    }
    axes.push_back(axis);
  }
  return axes;
}

absl::StatusOr<Shape> ShapeFrom(TraceContext& trace, absl::Span<Value* const> sizes) {
  Shape shape;
  for (Value* value : sizes) {
    DYNACC_RETURN_IF_ERROR(RefuseBool(value));
    DYNACC_ASSIGN_OR_RETURN(const Size size, SizeFrom(trace, value));
    shape.push_back(size);
  }
  if (shape.rank() > kMaxRank) return GraphBreak("an array of a high rank");
  return shape;
}

absl::StatusOr<Shape> ShapeFrom(TraceContext& trace, Value* value) {
  const auto items = ItemsOf(trace, value);
  return ShapeFrom(trace, items ? *items : std::vector<Value*>{value});
}

absl::StatusOr<DType> DTypeFrom(TraceContext& trace, Value* value) {
  BorrowedRef object = ObjectOf(trace, value);
  if (object == nullptr || !NamesDType(object)) return GraphBreak("a dtype that is not constant");
  PyArray_Descr* descr = nullptr;
  if (PyArray_DescrConverter(object, &descr) == NPY_FAIL) {
    PyErr_Clear();
    return GraphBreak("a dtype that NumPy does not know");
  }
  const std::optional<DType> dtype = FromDescr(descr);
  Py_DECREF(descr);
  if (!dtype) return GraphBreak("a dtype that kernels do not handle");
  return *dtype;
}

}  // namespace dynacc
