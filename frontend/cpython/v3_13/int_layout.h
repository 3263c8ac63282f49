// CPython 3.13's and 3.14's ints; frontend/cpython/int_layout.h says what each function is.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc {

inline const uint32_t* IntDigits(BorrowedRef number) {
  return reinterpret_cast<PyLongObject*>(number)->long_value.ob_digit;
}
// The tag is the number of digits above three bits, of which two are 1 less the sign. The third
// says in 3.14 that it is one of the small ints.
inline Py_ssize_t SignedDigitCount(BorrowedRef number) {
  const uintptr_t tag = reinterpret_cast<PyLongObject*>(number)->long_value.lv_tag;
  return (1 - static_cast<Py_ssize_t>(tag & 3)) * static_cast<Py_ssize_t>(tag >> 3);
}
inline const uintptr_t* IntSizePlace(BorrowedRef number) {
  return &reinterpret_cast<PyLongObject*>(number)->long_value.lv_tag;
}

inline constexpr bool kIntsHaveTags = true;
inline constexpr size_t kIntSizeOffset =
    offsetof(PyLongObject, long_value) + offsetof(_PyLongValue, lv_tag);
inline constexpr size_t kIntDigitsOffset =
    offsetof(PyLongObject, long_value) + offsetof(_PyLongValue, ob_digit);

}  // namespace dynacc
