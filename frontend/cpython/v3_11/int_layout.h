// CPython 3.11's ints; frontend/cpython/int_layout.h says what each function is.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc {

inline const uint32_t* IntDigits(BorrowedRef number) {
  return reinterpret_cast<PyLongObject*>(number)->ob_digit;
}
inline Py_ssize_t SignedDigitCount(BorrowedRef number) { return Py_SIZE(number); }
// Where what SignedDigitCount depends on lies, and how long it is.
inline const Py_ssize_t* IntSizePlace(BorrowedRef number) {
  return &reinterpret_cast<PyVarObject*>(number)->ob_size;
}

inline constexpr bool kIntsHaveTags = false;
inline constexpr size_t kIntSizeOffset = offsetof(PyVarObject, ob_size);
inline constexpr size_t kIntDigitsOffset = offsetof(PyLongObject, ob_digit);

}  // namespace dynacc
