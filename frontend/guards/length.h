// Guards on the number of items of a builtin container: TupleLength, ListLength, DictLength,
// DequeShape.
#pragma once

#include "frontend/cpython/deque_access.h"
#include "frontend/guards/check.h"

namespace dynacc {

// Explains a miss of any of these; `container` is "tuple", "list", "dict" or "deque".
std::string ExplainLength(const char* container, const Guard& guard, BorrowedRef value);

template <>
struct GuardCheck<GuardKind::kTupleLength> : KeyedCheck<GuardCheck<GuardKind::kTupleLength>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    if (value == nullptr || !PyTuple_CheckExact(value)) return false;
    *key = PyTuple_GET_SIZE(value);
    return true;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value) {
    return ExplainLength("tuple", guard, value);
  }
};

template <>
struct GuardCheck<GuardKind::kListLength> : KeyedCheck<GuardCheck<GuardKind::kListLength>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    if (value == nullptr || !PyList_CheckExact(value)) return false;
    *key = PyList_GET_SIZE(value);
    return true;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value) {
    return ExplainLength("list", guard, value);
  }
};

template <>
struct GuardCheck<GuardKind::kDictLength> : KeyedCheck<GuardCheck<GuardKind::kDictLength>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    if (value == nullptr || !PyDict_CheckExact(value)) return false;
    *key = PyDict_GET_SIZE(value);
    return true;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value) {
    return ExplainLength("dict", guard, value);
  }
};

template <>
struct GuardCheck<GuardKind::kDequeShape> : KeyedCheck<GuardCheck<GuardKind::kDequeShape>> {
  static int64_t Family(const Guard& guard) { return guard.b; }
  static bool Key(const Guard& guard, BorrowedRef value, int64_t* key) {
    if (value == nullptr || !IsDeque(value) || DequeBound(value) != guard.b) return false;
    *key = DequeLength(value);
    return true;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value) {
    return ExplainLength("deque", guard, value);
  }
};

}  // namespace dynacc
