// Guards on the value of plain constants: IntEquals, FloatEquals, StrEquals, ConstantEquals,
// IntFits, FloatAny. All ask for exact types: a subclass's instance may behave differently.
#pragma once

#include <bit>

#include "frontend/cpython/name_lookup.h"
#include "frontend/guards/check.h"

namespace dynacc {

// Whether `object` is an exact int that fits 64 bits; then `*value` is it.
inline bool ExactInt64(BorrowedRef object, int64_t* value) {
  if (object == nullptr || !PyLong_CheckExact(object)) return false;
  const Py_ssize_t size = Py_SIZE(object);  // number of 30-bit digits, negative for a negative int
  if (size >= -1 && size <= 1) {
    *value = size * static_cast<int64_t>(reinterpret_cast<PyLongObject*>(object)->ob_digit[0]);
    return true;
  }
  int overflow = 0;
  *value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

// Whether two objects are plain constants of the same exact type and value, floats by their bits,
// tuples item by item. False for any other kind of object, unless it is the very same.
bool SameConstant(BorrowedRef a, BorrowedRef b);

template <>
struct GuardCheck<GuardKind::kIntEquals> : KeyedCheck<GuardCheck<GuardKind::kIntEquals>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) { return ExactInt64(value, key); }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kFloatEquals> : KeyedCheck<GuardCheck<GuardKind::kFloatEquals>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    if (value == nullptr || !PyFloat_CheckExact(value)) return false;
    *key = std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(value));
    return true;
  }
  static int64_t Wanted(const Guard& guard) {
    return std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(guard.object.get()));
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kStrEquals> {
  static bool Check(const Guard& guard, BorrowedRef value) {
    BorrowedRef wanted = guard.object.get();  // itself an exact str
    return value == wanted ||
           (value != nullptr && PyUnicode_CheckExact(value) && SameStr(value, wanted));
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kConstantEquals> {
  static bool Check(const Guard& guard, BorrowedRef value) {
    BorrowedRef wanted = guard.object.get();  // null: a code object or the like that is gone
    return value != nullptr && wanted != nullptr && SameConstant(value, wanted);
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kIntFits> {
  static bool Check(const Guard&, BorrowedRef value) {
    int64_t ignored;
    return ExactInt64(value, &ignored);
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kFloatAny> {
  static bool Check(const Guard&, BorrowedRef value) {
    return value != nullptr && PyFloat_CheckExact(value);
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

}  // namespace dynacc
