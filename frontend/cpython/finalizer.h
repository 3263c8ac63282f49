// What happens when an object dies.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Whether a weak reference is told of the object's end.
inline bool IsWeaklyReferenced(BorrowedRef object) {
  const Py_ssize_t at = Py_TYPE(object)->tp_weaklistoffset;
  return at > 0 && *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + at) != nullptr;
}

// How many references of what dies are followed: they are before each run of an entry that drops
// such a thing.
inline constexpr int kFollowedReferences = 64;

// Whether what `object` refers to, and nothing else does, dies quietly, all the way down, as far as
// it is followed; and no frame dies with an exception's traceback.
bool PartsDieQuietly(BorrowedRef object);

// Whether the object itself has no finalizer, and no weak reference is told of its end; so, too,
// what dies with it. Whether anything else holds the object is not asked.
inline bool DiesQuietly(BorrowedRef object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_finalize != nullptr || type->tp_del != nullptr) return false;
  if (IsWeaklyReferenced(object)) return false;
  return !PyType_IS_GC(type) || PartsDieQuietly(object);
}

}  // namespace dynacc
