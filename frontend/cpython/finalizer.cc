#include "frontend/cpython/finalizer.h"

#include <algorithm>

namespace dynacc {
namespace {

// An item that something else holds as well lives on.
bool ItemDiesQuietly(BorrowedRef item, int depth) {
  return item == nullptr || Py_REFCNT(item) > 1 || DiesQuietly(item, depth);
}

bool AllDieQuietly(PyObject* const* items, Py_ssize_t count, int depth) {
  const Py_ssize_t looked_at = std::min(count, kLookedIntoItems);
  return std::all_of(items, items + looked_at,
                     [depth](PyObject* item) { return ItemDiesQuietly(item, depth); });
}

bool ValuesDieQuietly(BorrowedRef dict, int depth) {
  Py_ssize_t position = 0;
  PyObject* value;
  for (Py_ssize_t i = 0; i < kLookedIntoItems; ++i) {
    if (PyDict_Next(dict, &position, nullptr, &value) == 0) return true;
    if (!ItemDiesQuietly(value, depth)) return false;
  }
  return true;
}

// The frame that handles an exception goes on; those below it live by its traceback alone.
bool TracebackDiesQuietly(BorrowedRef exception) {
  auto* traceback = reinterpret_cast<PyTracebackObject*>(
      reinterpret_cast<PyBaseExceptionObject*>(exception)->traceback);
  return traceback == nullptr || traceback->tb_next == nullptr;
}

}  // namespace

bool ItemsDieQuietly(BorrowedRef container, int depth) {
  if (PyExceptionInstance_Check(container)) return TracebackDiesQuietly(container);
  if (depth == 0) return true;
  --depth;
  if (PyList_CheckExact(container)) {
    return AllDieQuietly(reinterpret_cast<PyListObject*>(container)->ob_item,
                         PyList_GET_SIZE(container), depth);
  }
  if (PyTuple_CheckExact(container)) {
    return AllDieQuietly(reinterpret_cast<PyTupleObject*>(container)->ob_item,
                         PyTuple_GET_SIZE(container), depth);
  }
  if (PyDict_CheckExact(container)) return ValuesDieQuietly(container, depth);
  if (PyCell_Check(container)) return ItemDiesQuietly(PyCell_GET(container), depth);
  return !PyFunction_Check(container) ||
         ItemDiesQuietly(PyFunction_GET_CLOSURE(container), depth + 1);
}

}  // namespace dynacc
