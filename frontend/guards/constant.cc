#include "frontend/guards/constant.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"

namespace dynacc {
namespace {

template <typename T>
bool SameBytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

bool SameLong(BorrowedRef a, BorrowedRef b) {
  const Py_ssize_t size = Py_SIZE(a);
  return size == Py_SIZE(b) &&
         std::memcmp(reinterpret_cast<PyLongObject*>(a)->ob_digit,
                     reinterpret_cast<PyLongObject*>(b)->ob_digit,
                     static_cast<size_t>(size < 0 ? -size : size) * sizeof(digit)) == 0;
}

bool SameTuple(BorrowedRef a, BorrowedRef b) {
  if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) {
    if (!SameConstant(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))) return false;
  }
  return true;
}

}  // namespace

bool SameConstant(BorrowedRef a, BorrowedRef b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyLong_CheckExact(a)) return SameLong(a, b);
  if (PyFloat_CheckExact(a)) return SameBytes(PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
  if (PyUnicode_CheckExact(a)) return SameStr(a, b);
  if (PyBytes_CheckExact(a)) {
    return PyBytes_GET_SIZE(a) == PyBytes_GET_SIZE(b) &&
           std::memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), PyBytes_GET_SIZE(a)) == 0;
  }
  if (PyComplex_CheckExact(a)) {
    return SameBytes(reinterpret_cast<PyComplexObject*>(a)->cval,
                     reinterpret_cast<PyComplexObject*>(b)->cval);
  }
  return PyTuple_CheckExact(a) && SameTuple(a, b);
}

std::string GuardCheck<GuardKind::kIntEquals>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat("int ", guard.a), value);
}

std::string GuardCheck<GuardKind::kFloatEquals>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(guard.ObjectText(), value);
}

std::string GuardCheck<GuardKind::kStrEquals>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(guard.ObjectText(), value);
}

std::string GuardCheck<GuardKind::kConstantEquals>::Explain(const Guard& guard, BorrowedRef value) {
  const std::string wanted = guard.ObjectText();
  const bool look_alike = value != nullptr && wanted == DescribeObject(value);
  return Expected(wanted, value) + (look_alike ? " (of another value)" : "");
}

std::string GuardCheck<GuardKind::kIntFits>::Explain(const Guard&, BorrowedRef value) {
  return Expected("an int that fits 64 bits", value);
}

std::string GuardCheck<GuardKind::kFloatAny>::Explain(const Guard&, BorrowedRef value) {
  return Expected("a float", value);
}

}  // namespace dynacc
