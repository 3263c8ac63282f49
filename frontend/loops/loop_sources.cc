#include "frontend/loops/loop_sources.h"

#include <algorithm>
#include <cstddef>

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/int_layout.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/trace/ufuncs.h"

namespace dynacc::loops {
namespace {

using Kind = LoopValue::Kind;

// Tuples of more items are no points in space.
constexpr Py_ssize_t kMostTuple = 8;

// Lists of lists of lists are the deepest that are looked into.
constexpr int kMostDepth = 3;

LoopArray InBytes(StridedView* view, LoopArray::Kind kind, DType dtype, const void* data,
                  Py_ssize_t size) {
  view->dtype = dtype;
  view->rank = 1;
  view->data = static_cast<char*>(const_cast<void*>(data));
  view->shape[0] = size;
  view->strides[0] = static_cast<int64_t>(ItemSize(dtype));
  return {.element = *ElementType(dtype), .rank = 1, .kind = kind};
}

DType WidthOf(BorrowedRef text) {
  switch (PyUnicode_KIND(text)) {
    case PyUnicode_1BYTE_KIND:
      return DType::kUInt8;
    case PyUnicode_2BYTE_KIND:
      return DType::kUInt16;
    default:
      return DType::kUInt32;
  }
}

LoopValue ItemsOf(BorrowedRef list, int depth);

LoopValue AsItem(BorrowedRef object, int depth);

LoopValue AsTuple(BorrowedRef tuple, int depth) {
  LoopValue value;
  const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
  if (size == 0 || size > kMostTuple) return value;
  for (Py_ssize_t i = 0; i < size; ++i) {
    value.items.push_back(AsItem(PyTuple_GET_ITEM(tuple, i), depth));
    if (value.items.back().is(Kind::kOpaque)) return {};
  }
  value.kind = Kind::kTuple;
  return value;
}

// Equal for items that a program may take for the same.
LoopValue AsItem(BorrowedRef object, int depth) {
  LoopValue item;
  const std::optional<NumberType> type = TypeOfNumber(object);
  if (type) return LoopValue::Number(*type, 0);
  if (CharOf(object) >= 0) item.kind = Kind::kChar;
  if (PyTuple_CheckExact(object) && depth > 1) return AsTuple(object, depth - 1);
  if (PyList_CheckExact(object) && depth > 1) {
    item.kind = Kind::kList;
    item.element = std::make_shared<const LoopValue>(ItemsOf(object, depth - 1));
  }
  return item;
}

LoopValue ItemsOf(BorrowedRef list, int depth) {
  const Py_ssize_t size = PyList_GET_SIZE(list);
  return size == 0 ? LoopValue() : AsItem(PyList_GET_ITEM(list, 0), depth);
}

// Whether dropping it runs nothing and frees nothing that a program may look at.
bool IsPlain(BorrowedRef object) {
  return object == Py_None || TypeOfNumber(object) || PyLong_CheckExact(object) ||
         PyUnicode_CheckExact(object);
}

Ref Boxed(int type, LoopSlot value) {
  if (type != kCharBox) return Box(value, static_cast<NumberType>(type));
  return Ref::Steal(PyUnicode_FromOrdinal(static_cast<int>(value.i)));
}

bool Unboxed(void* const* place, int type, LoopSlot* value) {
  BorrowedRef object = static_cast<PyObject*>(*place);
  if (type == kCharBox) {
    value->i = CharOf(object);
    return value->i >= 0;
  }
  if (TypeOfNumber(object) != static_cast<NumberType>(type)) return false;
  *value = Unbox(object, static_cast<NumberType>(type));
  return true;
}

bool Replaced(void** place, int type, const LoopSlot* value) {
  auto** item = reinterpret_cast<PyObject**>(place);
  if (!IsPlain(*item)) return false;
  Ref box = Boxed(type, *value);
  if (!box) {
    PyErr_Clear();
    return false;
  }
  Py_SETREF(*item, box.Release());
  return true;
}

bool Appended(void* list, int type, const LoopSlot* value) {
  const Ref box = Boxed(type, *value);
  if (box && PyList_Append(static_cast<PyObject*>(list), box.get()) == 0) return true;
  PyErr_Clear();
  return false;
}

bool Popped(void* list) {
  auto* object = static_cast<PyObject*>(list);
  const Py_ssize_t size = PyList_GET_SIZE(object);
  if (size == 0 || !IsPlain(PyList_GET_ITEM(object, size - 1))) return false;
  if (PyList_SetSlice(object, size - 1, size, nullptr) == 0) return true;
  PyErr_Clear();
  return false;
}

bool Drawn(void* method, double* value) {
  const Ref drawn = Ref::Steal(PyObject_CallNoArgs(static_cast<PyObject*>(method)));
  if (!drawn) PyErr_Clear();
  if (drawn) *value = PyFloat_AsDouble(drawn.get());
  return static_cast<bool>(drawn);
}

using loop_math::FloatBox;
using loop_math::IntBox;
using loop_math::ListBox;
static_assert(offsetof(FloatBox, head.type) == offsetof(PyObject, ob_type));
static_assert(offsetof(FloatBox, value) == offsetof(PyFloatObject, ob_fval));
static_assert(offsetof(IntBox, size) == kIntSizeOffset);
static_assert(offsetof(IntBox, digits) == kIntDigitsOffset);
static_assert(loop_math::kDigitBits == PyLong_SHIFT);
static_assert(offsetof(loop_math::TupleBox, size) == offsetof(PyVarObject, ob_size));
static_assert(offsetof(ListBox, size) == offsetof(PyVarObject, ob_size));
static_assert(offsetof(ListBox, items) == offsetof(PyListObject, ob_item));

const void* ClassOf(NumberType type) {
  LoopSlot zero;
  zero.i = 0;
  const Ref box = Box(zero, type);
  PyErr_Clear();
  return box ? Py_TYPE(box.get()) : nullptr;
}

}  // namespace

std::optional<LoopArray> ReadLoopArray(BorrowedRef object, StridedView* view) {
  if (PyUnicode_CheckExact(object) && PyUnicode_IS_READY(object)) {
    return InBytes(view, LoopArray::Kind::kText, WidthOf(object), PyUnicode_DATA(object),
                   PyUnicode_GET_LENGTH(object));
  }
  if (PyBytes_CheckExact(object)) {
    return InBytes(view, LoopArray::Kind::kBytes, DType::kUInt8, PyBytes_AS_STRING(object),
                   PyBytes_GET_SIZE(object));
  }
  if (PyByteArray_CheckExact(object)) {
    return InBytes(view, LoopArray::Kind::kByteArray, DType::kUInt8, PyByteArray_AS_STRING(object),
                   PyByteArray_GET_SIZE(object));
  }
  if (!numpy::IsNumpyArray(object)) return std::nullopt;
  numpy::ReadNumpy(object, view, nullptr);
  const std::optional<NumberType> element = ElementType(view->dtype);
  if (!element || view->rank == 0) return std::nullopt;
  LoopArray array = {.element = *element, .rank = view->rank};
  for (int axis = 0; axis < view->rank; ++axis) {
    array.short_axes |= uint32_t{view->shape[axis] <= kLongestSlice1d} << axis;
  }
  return array;
}

LoopValue ItemsOf(BorrowedRef list) { return ItemsOf(list, kMostDepth); }

bool MayBeKnown(BorrowedRef object) {
  return object == Py_None || PyModule_CheckExact(object) || PyCFunction_CheckExact(object) ||
         PyFunction_Check(object) || PyType_Check(object) || numpy::IsUfunc(object);
}

BorrowedRef ItemNow(BorrowedRef dict_or_cell, BorrowedRef name) {
  if (PyCell_Check(dict_or_cell)) return PyCell_GET(dict_or_cell);
  return DictGetStr(dict_or_cell, name);
}

LoopValue ObserveObject(BorrowedRef object, uint16_t reg, bool is_global,
                        std::vector<LoopArray>* arrays, std::vector<LoopInstance>* instances) {
  LoopValue value;
  StridedView view;
  const std::optional<NumberType> type = TypeOfNumber(object);
  if (type) return LoopValue::Number(*type, reg);
  if (CharOf(object) >= 0) {
    value.kind = Kind::kChar;
    value.reg = reg;
  } else if (PyList_CheckExact(object)) {
    value.kind = Kind::kList;
    value.reg = reg;
    value.element = std::make_shared<const LoopValue>(ItemsOf(object));
  } else if (const std::optional<LoopArray> array = ReadLoopArray(object, &view)) {
    value.kind = Kind::kArray;
    value.slot = static_cast<int>(arrays->size());
    arrays->push_back(*array);
  } else if (MayBeKnown(object) || (is_global && PyTuple_CheckExact(object))) {
    value = LoopValue::Object(object);
  } else if (HasPlainAttributes(object)) {
    const std::optional<int> number = NumberOfInstance(object, instances);
    if (number) value.kind = Kind::kInstance;
    value.slot = number.value_or(0);
  }
  return value;
}

int64_t CharOf(BorrowedRef object) {
  if (!PyUnicode_CheckExact(object) || !PyUnicode_IS_READY(object)) return -1;
  if (PyUnicode_GET_LENGTH(object) != 1) return -1;
  return static_cast<int64_t>(PyUnicode_READ_CHAR(object, 0));
}

const LoopHost& TheLoopHost() {
  static const LoopHost& host = *[] {
    auto* made = new LoopHost{.list_type = &PyList_Type,
                              .int_type = &PyLong_Type,
                              .tuple_type = &PyTuple_Type,
                              .tuple_items = offsetof(PyTupleObject, ob_item),
                              .types = {},
                              .unbox = Unboxed,
                              .replace = Replaced,
                              .append = Appended,
                              .pop = Popped,
                              .draw = Drawn};
    for (int i = 0; i < kNumRegisterTypes; ++i) {
      made->types[i] = ClassOf(static_cast<NumberType>(i));
    }
    return made;
  }();
  return host;
}

}  // namespace dynacc::loops
