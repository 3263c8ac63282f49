#include "frontend/guards/checks/keys.h"

#include "frontend/guards/checks/constant.h"

namespace dynacc {

bool GuardCheck<GuardKind::kDictKeys>::Check(const Guard& guard, BorrowedRef value) {
  BorrowedRef keys = guard.object.get();
  if (value == nullptr || !PyDict_Check(value) || !PyTuple_CheckExact(keys) ||
      PyDict_GET_SIZE(value) != PyTuple_GET_SIZE(keys)) {
    return false;
  }
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

}  // namespace dynacc
