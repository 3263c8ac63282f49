#include "frontend/guards/checks.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/ordered_dict.h"
#include "frontend/cpython/private_api.h"
#include "frontend/cpython/set_table.h"
#include "frontend/guards/array_checks.h"

namespace dynacc::guards {

std::string Expected(const std::string& what, BorrowedRef value) {
  std::string found = value == nullptr ? "" : RegisteredArrayChecks().describe(value);
  if (found.empty()) found = DescribeObject(value);
  return absl::StrCat("expected ", what, ", found ", found);
}

std::string GuardCheck<GuardKind::kAbsent>::Explain(const Guard&, BorrowedRef value) {
  return Expected("nothing", value);
}

std::string GuardCheck<GuardKind::kPresent>::Explain(const Guard&, BorrowedRef value) {
  return Expected("any value", value);
}

std::string GuardCheck<GuardKind::kDiesQuietly>::Explain(const Guard&, BorrowedRef value) {
  return Expected("an object without a finalizer", value);
}

std::string GuardCheck<GuardKind::kIdentity>::Explain(const Guard& guard, BorrowedRef value) {
  const std::string wanted = guard.ObjectText();
  const bool look_alike = value != nullptr && wanted == DescribeObject(value);
  return Expected(wanted, value) + (look_alike ? " (another object)" : "");
}

std::string GuardCheck<GuardKind::kNotSame>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat("an object other than ", guard.ObjectText()), value);
}

namespace {

std::string ExpectedType(const Guard& guard, BorrowedRef value) {
  const std::string wanted = guard.ObjectText();
  std::string found = TypeName(value);
  if (wanted == absl::StrCat("type ", found)) found += " (another type of that name)";
  return absl::StrCat("expected ", wanted, ", found ", found);
}

}  // namespace

std::string GuardCheck<GuardKind::kTypeIs>::Explain(const Guard& guard, BorrowedRef value) {
  return ExpectedType(guard, value);
}

std::string GuardCheck<GuardKind::kTypeVersion>::Explain(const Guard& guard, BorrowedRef value) {
  if (value != nullptr && reinterpret_cast<PyObject*>(Py_TYPE(value)) == guard.object.get()) {
    return absl::StrCat("an attribute of type ", TypeName(value), " or of a base was changed");
  }
  return ExpectedType(guard, value);
}

std::string GuardCheck<GuardKind::kClassVersion>::Explain(const Guard&, BorrowedRef value) {
  if (value == nullptr || !PyType_Check(value)) return Expected("a class", value);
  return absl::StrCat("an attribute of ", DescribeObject(value), " or of a base was changed");
}

std::string GuardCheck<GuardKind::kTypeFlags>::Explain(const Guard&, BorrowedRef value) {
  if (value == nullptr) return Expected("a value", value);
  return absl::StrCat("type ", TypeName(value), " was registered as another kind of collection");
}

std::string GuardCheck<GuardKind::kAbstractClasses>::Explain(const Guard&, BorrowedRef) {
  return "a class was registered with an abstract one";
}

namespace {

template <typename T>
bool SameBytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

bool SameLong(BorrowedRef a, BorrowedRef b) {
  const Py_ssize_t size = SignedDigitCount(a);
  return size == SignedDigitCount(b) &&
         std::memcmp(IntDigits(a), IntDigits(b),
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

namespace {

// The number of items of an exact builtin container; -1 for anything else.
Py_ssize_t LengthOf(BorrowedRef value) {
  if (value == nullptr) return -1;
  if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) return Py_SIZE(value);
  if (IsDeque(value)) return DequeLength(value);
  return PyDict_CheckExact(value) ? PyDict_GET_SIZE(value) : -1;
}

}  // namespace

std::string ExplainLength(const char* container, const Guard& guard, BorrowedRef value) {
  std::string text = Expected(absl::StrCat("a ", container, " of length ", guard.a), value);
  const Py_ssize_t length = LengthOf(value);
  if (length >= 0) absl::StrAppend(&text, " of length ", length);
  return text;
}

namespace {

bool HasOrderedKeys(BorrowedRef ordered_dict, BorrowedRef keys) {
  OrderedKeys found(ordered_dict);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys); ++i) {
    BorrowedRef key = found.Next();
    if (key == nullptr || !SameConstant(key, PyTuple_GET_ITEM(keys, i))) return false;
  }
  return found.Next() == nullptr;
}

bool HasMembers(BorrowedRef set, BorrowedRef members) {
  if (PySet_GET_SIZE(set) != PyTuple_GET_SIZE(members)) return false;
  PyObject* member;
  Py_ssize_t position = 0;
  Py_hash_t hash;
  for (Py_ssize_t i = 0; _PySet_NextEntry(set, &position, &member, &hash); ++i) {
    if (!SameConstant(member, PyTuple_GET_ITEM(members, i))) return false;
  }
  return true;
}

}  // namespace

// The members of a set count as its keys.
bool GuardCheck<GuardKind::kDictKeys>::Check(const Guard& guard, BorrowedRef value) {
  BorrowedRef keys = guard.object.get();
  if (value != nullptr && PySet_CheckExact(value)) return HasMembers(value, keys);
  if (value == nullptr || !PyDict_Check(value) || !PyTuple_CheckExact(keys) ||
      PyDict_GET_SIZE(value) != PyTuple_GET_SIZE(keys)) {
    return false;
  }
  if (IsOrderedDict(value)) return HasOrderedKeys(value, keys);
  PyObject *key, *item;
  Py_ssize_t position = 0;
  for (Py_ssize_t i = 0; PyDict_Next(value, &position, &key, &item); ++i) {
    if (!SameConstant(key, PyTuple_GET_ITEM(keys, i))) return false;
  }
  return true;
}

std::string GuardCheck<GuardKind::kDictKeys>::Explain(const Guard&, BorrowedRef value) {
  return Expected("a dict of the keys that were captured, in that order", value);
}

bool GuardCheck<GuardKind::kSetMember>::Check(const Guard& guard, BorrowedRef value) {
  BorrowedRef key = guard.object.get();
  return key != nullptr && value != nullptr && PySet_CheckExact(value) &&
         IsInSet(value, key) == (guard.a != 0);
}

std::string GuardCheck<GuardKind::kSetMember>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat("a set ", guard.a != 0 ? "with " : "without ", guard.ObjectText()),
                  value);
}

bool GuardCheck<GuardKind::kSetTable>::Check(const Guard& guard, BorrowedRef value) {
  return value != nullptr && PySet_CheckExact(value) &&
         HaveSameTable(value, guard.object.get(), SameConstant);
}

std::string GuardCheck<GuardKind::kSetTable>::Explain(const Guard&, BorrowedRef value) {
  return Expected("a set that was made as the captured one", value);
}

namespace {

const char* DTypeText(const Guard& guard) { return Info(static_cast<DType>(guard.b)).text; }

}  // namespace

std::string GuardCheck<GuardKind::kArray>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat(DTypeText(guard), " array of rank ", guard.a), value);
}

std::string GuardCheck<GuardKind::kTensor>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat(DTypeText(guard), " tensor of rank ", guard.a), value);
}

std::string GuardCheck<GuardKind::kNumpyScalar>::Explain(const Guard& guard, BorrowedRef value) {
  return Expected(absl::StrCat("numpy scalar ", DTypeText(guard)), value);
}

std::string GuardCheck<GuardKind::kDimEquals>::Explain(const Guard& guard, BorrowedRef value) {
  const int64_t size =
      value == nullptr ? -1 : RegisteredArrayChecks().dim(value, static_cast<int>(guard.a));
  if (size >= 0) {
    return absl::StrCat("expected size ", guard.b, " of axis ", guard.a, ", found ", size);
  }
  return Expected(absl::StrCat("an array with axis ", guard.a), value);
}

std::string GuardCheck<GuardKind::kContiguous>::Explain(const Guard&, BorrowedRef value) {
  return Expected("a C-contiguous array", value);
}

std::string GuardCheck<GuardKind::kWritable>::Explain(const Guard&, BorrowedRef value) {
  return Expected("a writable array", value);
}

std::string GuardCheck<GuardKind::kScalarClass>::Explain(const Guard& guard, BorrowedRef value) {
  std::string text = Expected(absl::StrCat("a number that casts as class ", guard.a), value);
  const int found = value == nullptr ? -1 : RegisteredArrayChecks().scalar_class(value);
  if (found >= 0) absl::StrAppend(&text, ", of class ", found);
  return text;
}

std::string GuardCheck<GuardKind::kErrorState>::Explain(const Guard& guard, BorrowedRef) {
  return absl::StrCat("expected the error state ", guard.a, ", found ",
                      RegisteredArrayChecks().error_state());
}

}  // namespace dynacc::guards
