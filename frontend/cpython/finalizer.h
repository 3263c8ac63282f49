// What happens when an object dies.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Whether it iterates over another iterator, as zip and map do, which may be a generator. (Classes
// that have no __next__ have a slot that says so.)
inline bool IteratesOverIterator(PyTypeObject* type) {
  return type->tp_iternext != nullptr && type->tp_iternext != _PyObject_NextNotImplemented &&
         PyType_IS_GC(type) && type != &PyListIter_Type && type != &PyTupleIter_Type &&
         type != &PySeqIter_Type && type != &PyDictIterKey_Type && type != &PyDictIterValue_Type &&
         type != &PyDictIterItem_Type && type != &PySetIter_Type;
}

// How deep, and how many items of each, containers are looked into: they are looked at before each
// run of an entry that drops one.
inline constexpr int kLookedIntoDepth = 2;
inline constexpr Py_ssize_t kLookedIntoItems = 16;

bool ItemsDieQuietly(BorrowedRef container, int depth);

// Whether the object itself has no finalizer, and no weak reference is told of its end; so, too,
// what an exact list, tuple, dict, cell or function holds, as far as it is looked into, and no
// frame dies with an exception's traceback.
inline bool DiesQuietly(BorrowedRef object, int depth = kLookedIntoDepth) {
  PyTypeObject* type = Py_TYPE(object);
  if (IteratesOverIterator(type)) return false;
  if (type->tp_finalize != nullptr || type->tp_del != nullptr) return false;
  if (type->tp_weaklistoffset > 0 &&
      *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + type->tp_weaklistoffset) !=
          nullptr) {
    return false;
  }
  return !PyType_IS_GC(type) || ItemsDieQuietly(object, depth);
}

}  // namespace dynacc
