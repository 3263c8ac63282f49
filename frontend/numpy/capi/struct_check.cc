#include "frontend/numpy/capi/struct_check.h"

#include "frontend/numpy/capi/descriptors.h"

namespace dynacc::numpy {
namespace {

// The int that an attribute of `object` is; -1 if it is no such thing.
long long Told(BorrowedRef object, const char* attribute) {
  const Ref value = Ref::Steal(PyObject_GetAttrString(object, attribute));
  const long long told = value ? PyLong_AsLongLong(value.get()) : -1;
  PyErr_Clear();
  return told;
}

// What is asked here is answered in C: NumPy's Python code would come back here by its frames.
bool ArrayIsKnown() {
  npy_intp dims[] = {3, 5};
  const Ref made = Ref::Steal(PyArray_SimpleNew(2, dims, NPY_FLOAT));
  Py_buffer memory;
  if (!made || PyObject_GetBuffer(made.get(), &memory, PyBUF_STRIDES) != 0) return false;
  PyArrayObject* const array = AsArray(made.get());
  bool is_known = PyArray_NDIM(array) == memory.ndim && PyArray_DATA(array) == memory.buf &&
                  PyArray_BASE(array) == nullptr && memory.ndim == 2;
  for (int axis = 0; is_known && axis < memory.ndim; ++axis) {
    is_known = PyArray_DIMS(array)[axis] == memory.shape[axis] &&
               PyArray_STRIDES(array)[axis] == memory.strides[axis];
  }
  PyBuffer_Release(&memory);
  const Ref descr = Ref::Steal(PyObject_GetAttrString(made.get(), "dtype"));
  return is_known && reinterpret_cast<PyObject*>(PyArray_DESCR(array)) == descr.get() &&
         Told(descr.get(), "num") == PyArray_DESCR(array)->type_num &&
         Told(descr.get(), "itemsize") == ItemSizeOf(PyArray_DESCR(array)) &&
         MetadataOf(PyArray_DESCR(array)) == nullptr;
}

bool ScalarIsKnown() {
  int64_t number = 0x1122334455667788;
  PyArray_Descr* const descr = PyArray_DescrFromType(NPY_INT64);
  const Ref scalar = Ref::Steal(PyArray_Scalar(&number, descr, nullptr));
  Py_DECREF(descr);
  return scalar && PyArrayScalar_VAL(scalar.get(), Int64) == number;
}

bool UfuncIsKnown() {
  const Ref found = CoreObject("divmod");
  if (!found || Py_TYPE(found.get()) != &PyUFunc_Type) return false;
  const auto* const ufunc = reinterpret_cast<PyUFuncObject*>(found.get());
  return ufunc->nin == Told(found.get(), "nin") && ufunc->nout == Told(found.get(), "nout") &&
         ufunc->nargs == Told(found.get(), "nargs") && ufunc->ntypes == Told(found.get(), "ntypes");
}

}  // namespace

bool StructsAreKnown() {
  const bool known = ArrayIsKnown() && ScalarIsKnown() && UfuncIsKnown();
  PyErr_Clear();
  return known;
}

}  // namespace dynacc::numpy
