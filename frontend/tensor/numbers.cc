#include "frontend/tensor/numbers.h"

#include "frontend/tensor/dtype_object.h"
#include "runtime/cpu/tiles/element_loops.h"

namespace dynacc::tensor {
namespace {

void ConvertOne(const void* from, DType from_dtype, void* to, DType to_dtype) {
  char* args[] = {const_cast<char*>(static_cast<const char*>(from)), static_cast<char*>(to)};
  const intptr_t count = 1;
  const intptr_t steps[] = {ItemSize(from_dtype), ItemSize(to_dtype)};
  const kernel::LibraryLoop loop = cpu::CastLoop(from_dtype, to_dtype);
  loop.fn(args, &count, steps, loop.data);
}

bool OutOfBounds(BorrowedRef number, DType dtype) {
  PyErr_Format(PyExc_OverflowError, "Python integer %R out of bounds for %s", number,
               DTypeName(dtype));
  return false;
}

bool StoreUnsigned(BorrowedRef number, DType dtype, char* element) {
  const unsigned long long value = PyLong_AsUnsignedLongLong(number);
  if (value == static_cast<unsigned long long>(-1) && PyErr_Occurred()) {
    PyErr_Clear();
    return OutOfBounds(number, dtype);
  }
  const int bits = 8 * ItemSize(dtype);
  if (bits < 64 && value >> bits != 0) return OutOfBounds(number, dtype);
  ConvertOne(&value, DType::kUInt64, element, dtype);
  return true;
}

bool StoreSigned(BorrowedRef number, DType dtype, char* element) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  const int bits = 8 * ItemSize(dtype);
  const long long beyond = value >> (bits - 1);  // 0 or -1 for what fits
  if (overflow != 0 || (beyond != 0 && beyond != -1)) return OutOfBounds(number, dtype);
  ConvertOne(&value, DType::kInt64, element, dtype);
  return true;
}

bool StoreInt(BorrowedRef number, DType dtype, char* element) {
  switch (Info(dtype).kind) {
    case DTypeKind::kSigned:
      return StoreSigned(number, dtype, element);
    case DTypeKind::kUnsigned:
      return StoreUnsigned(number, dtype, element);
    case DTypeKind::kBool:
      *reinterpret_cast<bool*>(element) = PyObject_IsTrue(number) == 1;
      return true;
    default: {
      const double value = PyLong_AsDouble(number);
      if (value == -1.0 && PyErr_Occurred()) return false;
      ConvertOne(&value, DType::kFloat64, element, dtype);
      return true;
    }
  }
}

}  // namespace

bool StoreNumber(BorrowedRef number, NumberKind kind, DType dtype, char* element) {
  switch (kind) {
    case NumberKind::kBool: {
      const bool value = number == Py_True;
      ConvertOne(&value, DType::kBool, element, dtype);
      return true;
    }
    case NumberKind::kInt:
      return StoreInt(number, dtype, element);
    case NumberKind::kFloat: {
      const double value = PyFloat_AS_DOUBLE(number);
      ConvertOne(&value, DType::kFloat64, element, dtype);
      return true;
    }
    case NumberKind::kComplex: {
      const Py_complex value = PyComplex_AsCComplex(number);
      const Complex128 parts(value.real, value.imag);
      ConvertOne(&parts, DType::kComplex128, element, dtype);
      return true;
    }
  }
  return false;
}

Ref LoadNumber(const char* element, DType dtype) {
  switch (Info(dtype).kind) {
    case DTypeKind::kBool:
      return Ref::New(*reinterpret_cast<const uint8_t*>(element) != 0 ? Py_True : Py_False);
    case DTypeKind::kSigned: {
      long long value;
      ConvertOne(element, dtype, &value, DType::kInt64);
      return Ref::Steal(PyLong_FromLongLong(value));
    }
    case DTypeKind::kUnsigned: {
      unsigned long long value;
      ConvertOne(element, dtype, &value, DType::kUInt64);
      return Ref::Steal(PyLong_FromUnsignedLongLong(value));
    }
    case DTypeKind::kFloat: {
      double value;
      ConvertOne(element, dtype, &value, DType::kFloat64);
      return Ref::Steal(PyFloat_FromDouble(value));
    }
    case DTypeKind::kComplex: {
      Complex128 value;
      ConvertOne(element, dtype, &value, DType::kComplex128);
      return Ref::Steal(PyComplex_FromDoubles(value.real(), value.imag()));
    }
  }
  return Ref();
}

}  // namespace dynacc::tensor
