#include "frontend/numpy/trace/exchange.h"

#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/error_settings.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/ufuncs.h"

namespace dynacc::numpy {
namespace {

// The dtype whose elements are those of `descr`, in whatever byte order.
std::optional<DType> SameElements(PyArray_Descr* descr) {
  Ref native = Ref::Steal(reinterpret_cast<PyObject*>(PyArray_DescrNewByteorder(descr, '=')));
  if (!native) {
    PyErr_Clear();
    return std::nullopt;
  }
  auto* const in_order = reinterpret_cast<PyArray_Descr*>(native.get());
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (PyArray_EquivTypes(in_order, Descr(dtype))) return dtype;
  }
  return std::nullopt;
}

Ref NoErrorState() {
  PyErr_SetString(PyExc_RuntimeError, "NumPy's error state cannot be read and set");
  return {};
}

}  // namespace

bool IsNumpyObject(BorrowedRef object) {
  return PyArray_Check(object) || PyArray_IsScalar(object, Generic);
}

Ref UsableArray(BorrowedRef object) {
  Ref array = PyArray_Check(object) ? Ref::New(object)
                                    : Ref::Steal(PyArray_FromScalar(object, /*outcode=*/nullptr));
  if (!array) return Ref();
  PyArrayObject* const from = AsArray(array.get());
  const std::optional<DType> dtype = SameElements(PyArray_DESCR(from));
  if (!dtype) {
    PyErr_Format(PyExc_TypeError, "no dtype of dynacc has the elements of a NumPy array of %R",
                 PyArray_DESCR(from));
    return Ref();
  }
  if (PyArray_ISBEHAVED_RO(from)) return array;
  PyArray_Descr* descr = Descr(*dtype);
  Py_INCREF(descr);  // PyArray_FromArray takes it
  return Ref::Steal(PyArray_FromArray(from, descr, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED));
}

ArrayMemory MemoryOf(BorrowedRef object) {
  PyArrayObject* array = AsArray(object);
  // NumPy has two types of 64-bit integers; FromTypeNum knows one.
  std::optional<DType> dtype = FromTypeNum(PyArray_TYPE(array));
  if (!dtype) dtype = SameElements(PyArray_DESCR(array));
  return {PyArray_BYTES(array),
          *dtype,
          PyArray_NDIM(array),
          reinterpret_cast<const int64_t*>(PyArray_DIMS(array)),
          reinterpret_cast<const int64_t*>(PyArray_STRIDES(array)),
          PyArray_ISWRITEABLE(array) != 0};
}

std::optional<ArrayMemory> PlainMemory(BorrowedRef object) {
  if (!PyArray_CheckExact(object)) return std::nullopt;
  PyArrayObject* array = AsArray(object);
  if (!FromTypeNum(PyArray_TYPE(array)) || !PyArray_ISNOTSWAPPED(array)) return std::nullopt;
  return MemoryOf(object);
}

Ref NumpyOver(BorrowedRef owner, const ArrayMemory& memory) {
  PyArray_Descr* descr = Descr(memory.dtype);
  Py_INCREF(descr);  // PyArray_NewFromDescr takes it
  Ref array = Ref::Steal(PyArray_NewFromDescr(
      &PyArray_Type, descr, memory.rank, reinterpret_cast<const npy_intp*>(memory.shape),
      reinterpret_cast<const npy_intp*>(memory.strides), memory.data,
      memory.writable ? NPY_ARRAY_WRITEABLE : 0, nullptr));
  if (!array || owner == nullptr) return array;
  Py_INCREF(owner);  // PyArray_SetBaseObject takes it, also when it fails
  if (PyArray_SetBaseObject(AsArray(array.get()), owner) < 0) return Ref();
  return array;
}

BorrowedRef NumpyDType(DType dtype) { return reinterpret_cast<PyObject*>(Descr(dtype)); }

Ref SwitchErrorsOff() {
  if (ErrorGetter() == nullptr) return NoErrorState();
  Ref before = Ref::Steal(PyObject_CallNoArgs(ErrorGetter()));
  if (!before) return Ref();
  // A list of the buffers' size, the mask of what is reported, and a function to call.
  Ref size = Ref::Steal(PySequence_GetItem(before.get(), 0));
  Ref function = Ref::Steal(PySequence_GetItem(before.get(), 2));
  if (!size || !function) return Ref();
  Ref off = Ref::Steal(Py_BuildValue("[OiO]", size.get(), 0, function.get()));
  return off && SwitchErrorsBack(off.get()) ? before : Ref();
}

bool SwitchErrorsBack(BorrowedRef before) {
  if (ErrorSetter() == nullptr) return static_cast<bool>(NoErrorState());
  return static_cast<bool>(Ref::Steal(PyObject_CallOneArg(ErrorSetter(), before)));
}

Ref CallUfuncOf(Op op, BorrowedRef a, BorrowedRef b, BorrowedRef out) {
  auto* const ufunc = reinterpret_cast<PyObject*>(UfuncOf(op));
  if (ufunc == nullptr) {
    PyErr_Format(PyExc_TypeError, "NumPy has no function for %s", Info(op).text);
    return Ref();
  }
  return Ref::Steal(PyObject_CallFunctionObjArgs(ufunc, a, b != nullptr ? b : out,
                                                 b != nullptr ? out : nullptr, nullptr));
}

}  // namespace dynacc::numpy
