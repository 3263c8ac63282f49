#include "frontend/tensor/operators.h"

#include <cmath>

#include "frontend/tensor/device_tensor.h"
#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/elementwise.h"
#include "frontend/tensor/numbers.h"
#include "frontend/tensor/python_part.h"

namespace dynacc::tensor {
namespace {

template <Elementwise kFunction>
PyObject* Binary(PyObject* a, PyObject* b) {
  const BorrowedRef operands[] = {a, b};
  return RunElementwise(Row(kFunction), operands).Release();
}

template <Elementwise kFunction>
PyObject* InPlace(PyObject* self, PyObject* other) {
  const BorrowedRef operands[] = {self, other};
  return RunElementwise(Row(kFunction), operands, AsTensor(self)).Release();
}

template <Elementwise kFunction>
PyObject* Unary(PyObject* self) {
  const BorrowedRef operands[] = {self};
  return RunElementwise(Row(kFunction), operands).Release();
}

// pow(x, y, z) with a modulus is not defined for tensors.
PyObject* Power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return Binary<Elementwise::k_pow>(a, b);
}

PyObject* PowerInPlace(PyObject* self, PyObject* other, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return InPlace<Elementwise::k_pow>(self, other);
}

PyObject* Matmul(PyObject* a, PyObject* b) {
  if (!IsAnyTensor(a) || !IsAnyTensor(b)) Py_RETURN_NOTIMPLEMENTED;
  return CallPythonPart("matmul", {a, b}).Release();
}

PyObject* MatmulInPlace(PyObject* self, PyObject* other) {
  if (!IsAnyTensor(other)) Py_RETURN_NOTIMPLEMENTED;
  return CallPythonPart("matmul_in_place", {self, other}).Release();
}

PyObject* Compare(PyObject* a, PyObject* b, int comparison) {
  static constexpr Elementwise kFunctions[] = {
      Elementwise::k_less,      Elementwise::k_less_equal, Elementwise::k_equal,
      Elementwise::k_not_equal, Elementwise::k_greater,    Elementwise::k_greater_equal};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  const BorrowedRef operands[] = {a, b};
  return RunElementwise(Row(kFunctions[comparison]), operands).Release();
}

// The only element as a Python number; TypeError, naming the conversion, unless the rank is 0.
Ref OnlyElement(PyObject* self, const char* conversion) {
  TensorObject* tensor = AsTensor(self);
  if (tensor->rank() == 0 && tensor->device != 0) {
    Ref host = CopyToHost(tensor);
    return host ? LoadNumber(AsTensor(host)->data, tensor->dtype) : Ref();
  }
  if (tensor->rank() == 0) return LoadNumber(tensor->data, tensor->dtype);
  PyErr_Format(PyExc_TypeError, "only a 0-dimensional tensor can be converted to a Python %s",
               conversion);
  return Ref();
}

Ref RealElement(PyObject* self, const char* conversion) {
  if (IsComplex(AsTensor(self)->dtype)) {
    PyErr_Format(PyExc_TypeError, "a complex tensor cannot be converted to a Python %s",
                 conversion);
    return Ref();
  }
  return OnlyElement(self, conversion);
}

int AsPythonBool(PyObject* self) {
  Ref number = OnlyElement(self, "bool");
  return number ? PyObject_IsTrue(number.get()) : -1;
}

PyObject* AsPythonInt(PyObject* self) {
  Ref number = RealElement(self, "int");
  return number ? PyNumber_Long(number.get()) : nullptr;
}

PyObject* AsPythonFloat(PyObject* self) {
  Ref number = RealElement(self, "float");
  return number ? PyNumber_Float(number.get()) : nullptr;
}

PyObject* AsPythonIndex(PyObject* self) {
  if (!IsInteger(AsTensor(self)->dtype)) {
    PyErr_Format(PyExc_TypeError, "only an integer tensor can be an index, not one of %s",
                 DTypeName(AsTensor(self)->dtype));
    return nullptr;
  }
  return OnlyElement(self, "index").Release();
}

template <typename Function>
void Add(std::vector<PyType_Slot>& slots, int slot, Function function) {
  slots.push_back({slot, reinterpret_cast<void*>(function)});
}

}  // namespace

void AddOperatorSlots(std::vector<PyType_Slot>& slots) {
#define DYNACC_BINARY_OPERATOR(nb, slot, function, name, ufunc, tensor, ...) \
  Add(slots, Py_nb_##slot, Binary<Elementwise::k_##tensor>);                 \
  Add(slots, Py_nb_inplace_##slot, InPlace<Elementwise::k_##tensor>);
#define DYNACC_OTHER_OPERATOR(...)
#include "frontend/symbolic/binary_operators.def"
#undef DYNACC_BINARY_OPERATOR
#undef DYNACC_OTHER_OPERATOR
  Add(slots, Py_nb_power, Power);
  Add(slots, Py_nb_inplace_power, PowerInPlace);
  Add(slots, Py_nb_matrix_multiply, Matmul);
  Add(slots, Py_nb_inplace_matrix_multiply, MatmulInPlace);
  Add(slots, Py_nb_negative, Unary<Elementwise::k_negative>);
  Add(slots, Py_nb_positive, Unary<Elementwise::k_positive>);
  Add(slots, Py_nb_absolute, Unary<Elementwise::k_abs>);
  Add(slots, Py_nb_invert, Unary<Elementwise::k_bitwise_invert>);
  Add(slots, Py_nb_bool, AsPythonBool);
  Add(slots, Py_nb_int, AsPythonInt);
  Add(slots, Py_nb_float, AsPythonFloat);
  Add(slots, Py_nb_index, AsPythonIndex);
  Add(slots, Py_tp_richcompare, Compare);
  Add(slots, Py_tp_hash, PyObject_HashNotImplemented);
}

}  // namespace dynacc::tensor
