#include "frontend/guards/keys.h"

#include "frontend/cpython/ordered_dict.h"
#include "frontend/cpython/set_table.h"
#include "frontend/guards/constant.h"

namespace dynacc {
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

bool GuardCheck<GuardKind::kSetTable>::Check(const Guard& guard, BorrowedRef value) {
  return value != nullptr && PySet_CheckExact(value) &&
         HaveSameTable(value, guard.object.get(), SameConstant);
}

std::string GuardCheck<GuardKind::kSetTable>::Explain(const Guard&, BorrowedRef value) {
  return Expected("a set that was made as the captured one", value);
}

}  // namespace dynacc
