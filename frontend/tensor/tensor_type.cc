#include "frontend/tensor/tensor_type.h"

#include <structmember.h>

#include <vector>

#include "frontend/tensor/buffer.h"
#include "frontend/tensor/device_tensor.h"
#include "frontend/tensor/dlpack.h"
#include "frontend/tensor/dlpack_structs.h"
#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/elementwise.h"
#include "frontend/tensor/numbers.h"
#include "frontend/tensor/operators.h"
#include "frontend/tensor/python_part.h"
#include "frontend/tensor/subscript.h"
#include "frontend/tensor/tensor_object.h"
#include "frontend/tensor/views.h"

namespace dynacc::tensor {
namespace {

void Dealloc(PyObject* self) {
  TensorObject* tensor = AsTensor(self);
  if (tensor->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  ReleaseMemory(tensor);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

Py_ssize_t Length(PyObject* self) {
  TensorObject* tensor = AsTensor(self);
  if (tensor->rank() > 0) return tensor->shape()[0];
  PyErr_SetString(PyExc_TypeError, "len() of a 0-dimensional tensor");
  return -1;
}

PyObject* Iterate(PyObject* self) {
  if (AsTensor(self)->rank() > 0) return PySeqIter_New(self);
  PyErr_SetString(PyExc_TypeError, "iteration over a 0-dimensional tensor");
  return nullptr;
}

PyObject* Repr(PyObject* self) { return CallPythonPart("represent", {self}).Release(); }

PyObject* Str(PyObject* self) {
  Ref host = Ref::New(self);
  if (AsTensor(self)->device != 0) host = CopyToHost(AsTensor(self));
  if (host && IsLowPrecision(AsTensor(host)->dtype)) {
    host = CastTensor(AsTensor(host), DType::kFloat32);
  }
  Ref array = host ? NumpyView(AsTensor(host)) : Ref();
  return array ? PyObject_Str(array.get()) : nullptr;
}

// --- Attributes ------------------------------------------------------------------------------

PyObject* DTypeOf(PyObject* self, void*) { return Py_NewRef(DTypeObject(AsTensor(self)->dtype)); }

PyObject* Device(PyObject* self, void*) {
  const BorrowedRef device = DeviceObject(AsTensor(self)->device);
  return device == nullptr ? nullptr : Py_NewRef(device);
}

PyObject* Rank(PyObject* self, void*) { return PyLong_FromLong(AsTensor(self)->rank()); }

PyObject* Size(PyObject* self, void*) { return PyLong_FromLongLong(AsTensor(self)->size()); }

PyObject* Shape(PyObject* self, void*) { return ShapeTuple(AsTensor(self)->sizes()).Release(); }

PyObject* MatrixTranspose(PyObject* self, void*) { return SwapLastAxes(AsTensor(self)).Release(); }

PyObject* Transpose(PyObject* self, void*) {
  if (AsTensor(self)->rank() == 2) return SwapLastAxes(AsTensor(self)).Release();
  PyErr_SetString(PyExc_ValueError, "x.T needs 2 dimensions; use x.mT or permute_dims");
  return nullptr;
}

PyObject* ArrayInterface(PyObject* self, void*) {
  if (Info(AsTensor(self)->dtype).numpy == 0) {  // NumPy goes on to __array__, which says so
    PyErr_SetString(PyExc_AttributeError, "__array_interface__ has no name for the dtype");
    return nullptr;
  }
  Ref array = NumpyView(AsTensor(self));
  return array ? PyObject_GetAttrString(array.get(), "__array_interface__") : nullptr;
}

PyGetSetDef attributes[] = {
    {"dtype", DTypeOf, nullptr, "The elements' dtype.", nullptr},
    {"device", Device, nullptr, "Where the memory is: a dynacc.Device.", nullptr},
    {"mT", MatrixTranspose, nullptr, "The last two axes exchanged.", nullptr},
    {"ndim", Rank, nullptr, "The number of axes.", nullptr},
    {"shape", Shape, nullptr, "The axes' sizes.", nullptr},
    {"size", Size, nullptr, "The number of elements.", nullptr},
    {"T", Transpose, nullptr, "A matrix's transpose.", nullptr},
    {"__array_interface__", ArrayInterface, nullptr, "NumPy's array interface.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

// --- Methods ---------------------------------------------------------------------------------

PyObject* Copy(PyObject* self, PyObject*) {
  return CastTensor(AsTensor(self), AsTensor(self)->dtype).Release();
}

PyObject* ToComplex(PyObject* self, PyObject*) {
  TensorObject* tensor = AsTensor(self);
  if (tensor->rank() != 0) {
    PyErr_SetString(PyExc_TypeError,
                    "only a 0-dimensional tensor can be converted to a Python complex");
    return nullptr;
  }
  Ref host = Ref::New(self);
  if (tensor->device != 0) host = CopyToHost(tensor);
  if (!host) return nullptr;
  Ref converted = CastTensor(AsTensor(host), DType::kComplex128);
  return converted ? LoadNumber(AsTensor(converted)->data, DType::kComplex128).Release() : nullptr;
}

PyObject* DlpackDevice(PyObject* self, PyObject*) {
  const int device = AsTensor(self)->device;
  return device == 0 ? Py_BuildValue("(ii)", dlpack::kCpu, 0)
                     : Py_BuildValue("(ii)", dlpack::kCuda, device - 1);
}

// One C function for each method written in Python.
#define DYNACC_PYTHON_METHOD(function, method, signature, doc)                            \
  PyObject* Call_##function(PyObject* self, PyObject* const* arguments, Py_ssize_t count, \
                            PyObject* keyword_names) {                                    \
    return CallPythonPart(#function, self, arguments, count, keyword_names).Release();    \
  }
#include "frontend/tensor/tensor_methods.def"
#undef DYNACC_PYTHON_METHOD

PyMethodDef methods[] = {
    {"__copy__", Copy, METH_NOARGS, "__copy__($self, /)\n--\n\nA tensor with memory of its own."},
    {"__deepcopy__", Copy, METH_O,
     "__deepcopy__($self, memo, /)\n--\n\nA tensor with memory of its own."},
    {"__complex__", ToComplex, METH_NOARGS,
     "__complex__($self, /)\n--\n\nThe only element as a complex."},
    {"__dlpack_device__", DlpackDevice, METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\nDLPack's device type and number."},
#define DYNACC_PYTHON_METHOD(function, method, signature, doc)                           \
  {method, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Call_##function)), \
   METH_FASTCALL | METH_KEYWORDS, method signature "\n--\n\n" doc},
#include "frontend/tensor/tensor_methods.def"
#undef DYNACC_PYTHON_METHOD
    {nullptr, nullptr, 0, nullptr},
};

constexpr char kDoc[] =
    "An n-dimensional array of numbers that follows the Python array API standard.\n\n"
    "Made by the functions of the module: dynacc.asarray, dynacc.zeros, dynacc.from_dlpack ...";

std::vector<PyType_Slot> Slots() {
  std::vector<PyType_Slot> slots = {
      {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
      {Py_tp_repr, reinterpret_cast<void*>(Repr)},
      {Py_tp_str, reinterpret_cast<void*>(Str)},
      {Py_tp_iter, reinterpret_cast<void*>(Iterate)},
      {Py_tp_methods, methods},
      {Py_tp_getset, attributes},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char*>(kDoc)},
      {Py_sq_item, reinterpret_cast<void*>(TensorItem)},
      {Py_mp_length, reinterpret_cast<void*>(Length)},
      {Py_mp_subscript, reinterpret_cast<void*>(TensorSubscript)},
      {Py_mp_ass_subscript, reinterpret_cast<void*>(TensorStoreSubscript)},
      {Py_bf_getbuffer, reinterpret_cast<void*>(FillBuffer)},
  };
  AddOperatorSlots(slots);
  slots.push_back({0, nullptr});
  return slots;
}

}  // namespace

bool MakeTensorType() {
  if (TensorType() != nullptr) return true;
  std::vector<PyType_Slot> slots = Slots();
  PyType_Spec spec = {
      "dynacc.Tensor", sizeof(TensorObject), 2 * sizeof(int64_t),
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
      slots.data()};
  Ref type = Ref::Steal(PyType_FromSpec(&spec));
  Ref exchange = DlpackExchangeApi();
  if (!type || !exchange) return false;
  auto* const made = reinterpret_cast<PyTypeObject*>(type.get());
  if (PyDict_SetItemString(made->tp_dict, "__dlpack_c_exchange_api__", exchange.get()) < 0) {
    return false;
  }
  PyType_Modified(made);
  type.Release();  // lives as long as the process
  SetTensorType(made);
  return true;
}

}  // namespace dynacc::tensor
