// The kinds of guards: what each row of guards.def needs, a GuardCheck<kind>.
//
//   static bool Check(const Guard& guard, BorrowedRef value);
//   static std::string Explain(const Guard& guard, BorrowedRef value);  // after a failure
//
// Check gets null for an absent value. Both run no Python code and set no exception. A kind without
// its struct fails the build (VisitCheck).
//
// Many kinds compare one 64-bit number of the value (its address, its length, the size of an axis)
// with a number of the guard. Such a kind derives from KeyedCheck and gives
//
//   static bool Key(const Guard& guard, BorrowedRef value, int64_t* key);  // false: it has none
//   static int64_t Wanted(const Guard& guard);
//
// and the guard tree computes the key of a value once for all entries. Where keys of several
// guards on one source differ in meaning, Family tells them apart; Key may use only what Family
// fixes. A number that is the address of the guard's object has a Place: where that address stands
// as long as the object lives (LooseRef::place), or null.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include "frontend/cpython/abstract_classes.h"
#include "frontend/cpython/class_states.h"
#include "frontend/cpython/deque_access.h"
#include "frontend/cpython/finalizer.h"
#include "frontend/cpython/int_layout.h"
#include "frontend/cpython/name_lookup.h"
#include "frontend/guards/array_checks.h"
#include "frontend/guards/guard.h"

namespace dynacc::guards {

template <GuardKind kKind>
struct GuardCheck;

template <typename Kind>
struct KeyedCheck {
  static int64_t Family(const Guard&) { return 0; }
  static PyObject* const* Place(const Guard&) { return nullptr; }
  static bool Check(const Guard& guard, BorrowedRef value) {
    int64_t key;
    return Kind::Key(guard, value, &key) && key == Kind::Wanted(guard);
  }
};

template <typename Kind>
concept Keyed = requires(const Guard& guard, BorrowedRef value, int64_t* key) {
  { Kind::Key(guard, value, key) } -> std::same_as<bool>;
  { Kind::Wanted(guard) } -> std::same_as<int64_t>;
};

// "expected <what>, found <value>".
std::string Expected(const std::string& what, BorrowedRef value);

// --- Guards on which object is there, if any: Absent, Present, DiesQuietly, Identity, NotSame.

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

// --- Guards on the type of the value: TypeIs, TypeVersion, ClassVersion, TypeFlags; and on what is
// a subclass of what: AbstractClasses.

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

// --- Guards on the value of plain constants: IntEquals, FloatEquals, StrEquals, ConstantEquals,
// IntFits, FloatAny. All ask for exact types: a subclass's instance may behave differently.

// Whether `object` is an exact int that fits 64 bits; then `*value` is it.
inline bool ExactInt64(BorrowedRef object, int64_t* value) {
  if (object == nullptr || !PyLong_CheckExact(object)) return false;
  const Py_ssize_t size = SignedDigitCount(object);
  if (size >= -1 && size <= 1) {
    *value = size * static_cast<int64_t>(IntDigits(object)[0]);
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

// --- Guards on the number of items of a builtin container: TupleLength, ListLength, DictLength,
// DequeShape.

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

// --- Guards on the keys of a dict and the members of a set: DictKeys, SetMember, SetTable.

// The object is the tuple of the keys, plain constants.
template <>
struct GuardCheck<GuardKind::kDictKeys> {
  static bool Check(const Guard& guard, BorrowedRef value);
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kSetMember> {
  static bool Check(const Guard& guard, BorrowedRef value);
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kSetTable> {
  static bool Check(const Guard& guard, BorrowedRef value);
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

// --- Guards on arrays and array scalars, answered by the array library's folder: Array, Tensor,
// NumpyScalar, DimEquals, Contiguous, Writable, ScalarClass, ErrorState.

template <>
struct GuardCheck<GuardKind::kArray> {
  static bool Check(const Guard& guard, BorrowedRef value) {
    return value != nullptr && RegisteredArrayChecks().check_array(
                                   value, static_cast<DType>(guard.b), static_cast<int>(guard.a));
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kTensor> {
  static bool Check(const Guard& guard, BorrowedRef value) {
    return value != nullptr && RegisteredArrayChecks().check_tensor(
                                   value, static_cast<DType>(guard.b), static_cast<int>(guard.a));
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kNumpyScalar> {
  static bool Check(const Guard& guard, BorrowedRef value) {
    return value != nullptr &&
           RegisteredArrayChecks().check_scalar(value, static_cast<DType>(guard.b));
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kDimEquals> : KeyedCheck<GuardCheck<GuardKind::kDimEquals>> {
  static int64_t Family(const Guard& guard) { return guard.a; }
  static bool Key(const Guard& guard, BorrowedRef value, int64_t* key) {
    if (value == nullptr) return false;
    *key = RegisteredArrayChecks().dim(value, static_cast<int>(guard.a));
    return *key >= 0;
  }
  static int64_t Wanted(const Guard& guard) { return guard.b; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kContiguous> {
  static bool Check(const Guard&, BorrowedRef value) {
    return value != nullptr && RegisteredArrayChecks().is_contiguous(value);
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kWritable> {
  static bool Check(const Guard&, BorrowedRef value) {
    return value != nullptr && RegisteredArrayChecks().is_writable(value);
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kScalarClass> : KeyedCheck<GuardCheck<GuardKind::kScalarClass>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    if (value == nullptr) return false;
    *key = RegisteredArrayChecks().scalar_class(value);
    return *key >= 0;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kErrorState> : KeyedCheck<GuardCheck<GuardKind::kErrorState>> {
  static bool Key(const Guard&, BorrowedRef, int64_t* key) {
    *key = RegisteredArrayChecks().error_state();
    return true;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

// Calls visit.operator()<GuardCheck<kind>>() and returns its result.
template <typename Visit>
[[gnu::always_inline]] inline auto VisitCheck(GuardKind kind, Visit&& visit) {
  switch (kind) {
#define DYNACC_GUARD(kind, form, doc) \
  case GuardKind::k##kind:            \
    return visit.template operator()<GuardCheck<GuardKind::k##kind>>();
#include "frontend/guards/guards.def"
#undef DYNACC_GUARD
  }
  __builtin_unreachable();  // every kind has its case
}

}  // namespace dynacc::guards
