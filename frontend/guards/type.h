// Guards on the type of the value: TypeIs, TypeVersion, ClassVersion, TypeFlags; and on what is a
// subclass of what: AbstractClasses.
#pragma once

#include "frontend/cpython/abstract_classes.h"
#include "frontend/cpython/class_states.h"
#include "frontend/guards/check.h"

namespace dynacc {

template <>
struct GuardCheck<GuardKind::kTypeIs> : KeyedCheck<GuardCheck<GuardKind::kTypeIs>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    if (value == nullptr) return false;
    *key = reinterpret_cast<int64_t>(Py_TYPE(value));
    return true;
  }
  static int64_t Wanted(const Guard& guard) {
    return reinterpret_cast<int64_t>(guard.object.get());
  }
  static PyObject* const* Place(const Guard& guard) { return guard.object.place(); }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

// CPython numbers the states of all types with one counter: tp_version_tag becomes 0 when the type
// or one of its bases is changed, and a later lookup gives it a fresh number. So an equal number
// means the same type in the same state; 0 means nothing. Some numbers stand for one state
// (class_states.h).
template <>
struct GuardCheck<GuardKind::kTypeVersion> : KeyedCheck<GuardCheck<GuardKind::kTypeVersion>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    if (value == nullptr) return false;
    *key = StateOfVersion(Py_TYPE(value)->tp_version_tag);
    return *key != 0;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

// The same of the value itself, which is a class.
template <>
struct GuardCheck<GuardKind::kClassVersion> : KeyedCheck<GuardCheck<GuardKind::kClassVersion>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    if (value == nullptr || !PyType_Check(value)) return false;
    *key = StateOfVersion(reinterpret_cast<PyTypeObject*>(value)->tp_version_tag);
    return *key != 0;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

// Some flags change without a trace in the version: abc's register() of a collection, say.
template <>
struct GuardCheck<GuardKind::kTypeFlags> : KeyedCheck<GuardCheck<GuardKind::kTypeFlags>> {
  static int64_t Family(const Guard& guard) { return guard.a; }
  static bool Key(const Guard& guard, BorrowedRef value, int64_t* key) {
    if (value == nullptr) return false;
    *key = static_cast<int64_t>(Py_TYPE(value)->tp_flags) & guard.a;
    return true;
  }
  static int64_t Wanted(const Guard& guard) { return guard.b; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kAbstractClasses>
    : KeyedCheck<GuardCheck<GuardKind::kAbstractClasses>> {
  static bool Key(const Guard&, BorrowedRef, int64_t* key) {
    *key = AbstractClassesToken();
    return *key >= 0;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

}  // namespace dynacc
