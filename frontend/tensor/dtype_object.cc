#include "frontend/tensor/dtype_object.h"

#include <cstring>

namespace dynacc::tensor {
namespace {

struct DTypeStruct {
  PyObject ob_base;
  DType dtype;
};

struct NameRow {
  DType dtype;
  const char* name;
};

constexpr NameRow kNames[] = {
#define DYNACC_DTYPE_NAME(row, name) {DType::k##row, name},
#include "frontend/tensor/dtype_names.def"
#undef DYNACC_DTYPE_NAME
};

constexpr bool NamesFollowTheTable() {
  int next = 0;
  for (const NameRow& row : kNames) {
    if (static_cast<int>(row.dtype) != next++) return false;
  }
  return next == kNumDTypes;
}
static_assert(NamesFollowTheTable(), "a row for each row of dtype.def, in its order");

PyTypeObject* dtype_type = nullptr;
PyObject* dtype_objects[kNumDTypes];

DType DTypeOf(BorrowedRef object) { return reinterpret_cast<DTypeStruct*>(object)->dtype; }

PyObject* Repr(PyObject* self) {
  return PyUnicode_FromFormat("dynacc.%s", DTypeName(DTypeOf(self)));
}

PyObject* Str(PyObject* self) { return PyUnicode_FromString(DTypeName(DTypeOf(self))); }

PyObject* Reduce(PyObject* self, PyObject*) { return Str(self); }  // a name of the module dynacc

PyObject* Name(PyObject* self, void*) { return Str(self); }

PyObject* ItemSizeOf(PyObject* self, void*) { return PyLong_FromLong(ItemSize(DTypeOf(self))); }

// np.dtype(dynacc.float32) and arguments dtype= of NumPy's functions look for this attribute.
PyObject* NumpyTypeOf(PyObject* self, void*) {
  if (Info(DTypeOf(self)).numpy == 0) {
    PyErr_Format(PyExc_TypeError, "NumPy has no %s", DTypeName(DTypeOf(self)));
    return nullptr;
  }
  Ref numpy = Ref::Steal(PyImport_ImportModule("numpy"));
  if (!numpy) return nullptr;
  const char character[] = {Info(DTypeOf(self)).numpy, '\0'};
  return PyObject_CallMethod(numpy.get(), "dtype", "s", character);
}

PyMethodDef methods[] = {
    {"__reduce__", Reduce, METH_NOARGS, "Pickles by name."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef attributes[] = {
    {"name", Name, nullptr, "The name in the Array API standard.", nullptr},
    {"itemsize", ItemSizeOf, nullptr, "Bytes of one element.", nullptr},
    {"dtype", NumpyTypeOf, nullptr, "The numpy.dtype of the same elements.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_repr, reinterpret_cast<void*>(Repr)},
    {Py_tp_str, reinterpret_cast<void*>(Str)},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_doc, const_cast<char*>("The element type of a dynacc.Tensor.")},
    {0, nullptr},
};

PyType_Spec spec = {
    "dynacc.DType", sizeof(DTypeStruct), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};

}  // namespace

const char* DTypeName(DType dtype) { return kNames[static_cast<int>(dtype)].name; }

bool IsOfKind(DType dtype, const char* letters) {
  static constexpr char kLetters[] = {'b', 'i', 'u', 'f', 'c'};
  if (IsLowPrecision(dtype) && std::strchr(letters, 'n') != nullptr) return true;
  return std::strchr(letters, kLetters[static_cast<int>(Info(dtype).kind)]) != nullptr;
}

bool MakeDTypeObjects() {
  if (dtype_type != nullptr) return true;
  Ref type = Ref::Steal(PyType_FromSpec(&spec));
  if (!type) return false;
  for (int i = 0; i < kNumDTypes; ++i) {
    if (dtype_objects[i] == nullptr) {
      dtype_objects[i] = PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.get()), 0);
    }
    if (dtype_objects[i] == nullptr) return false;
    reinterpret_cast<DTypeStruct*>(dtype_objects[i])->dtype = static_cast<DType>(i);
  }
  dtype_type = reinterpret_cast<PyTypeObject*>(type.Release());
  return true;
}

BorrowedRef DTypeObject(DType dtype) { return dtype_objects[static_cast<int>(dtype)]; }

PyTypeObject* DTypeType() { return dtype_type; }

std::optional<DType> AsDType(BorrowedRef object) {
  if (Py_TYPE(object) != dtype_type) return std::nullopt;
  return DTypeOf(object);
}

std::optional<DType> RequireDType(BorrowedRef object) {
  const std::optional<DType> dtype = AsDType(object);
  if (!dtype) {
    PyErr_Format(PyExc_TypeError, "expected a dtype of dynacc, as dynacc.float32, not %.200s",
                 Py_TYPE(object)->tp_name);
  }
  return dtype;
}

}  // namespace dynacc::tensor
