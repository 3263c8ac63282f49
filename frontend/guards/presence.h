// Guards on which object is there, if any: Absent, Present, DiesQuietly, Identity, NotSame.
#pragma once

#include "frontend/cpython/finalizer.h"
#include "frontend/guards/check.h"

namespace dynacc {

template <>
struct GuardCheck<GuardKind::kAbsent> {
  static bool Check(const Guard&, BorrowedRef value) { return value == nullptr; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kPresent> {
  static bool Check(const Guard&, BorrowedRef value) { return value != nullptr; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kDiesQuietly> {
  static bool Check(const Guard&, BorrowedRef value) {
    return value == nullptr || DiesQuietly(value);
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

// An equal address means the same object: the guard keeps it, or knows when it is gone.
template <>
struct GuardCheck<GuardKind::kIdentity> : KeyedCheck<GuardCheck<GuardKind::kIdentity>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    *key = reinterpret_cast<int64_t>(value);
    return value != nullptr;
  }
  static int64_t Wanted(const Guard& guard) {
    return reinterpret_cast<int64_t>(guard.object.get());
  }
  static PyObject* const* Place(const Guard& guard) { return guard.object.place(); }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kNotSame> {
  static bool Check(const Guard& guard, BorrowedRef value) {
    return value != nullptr && value != guard.object.get();
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

}  // namespace dynacc
