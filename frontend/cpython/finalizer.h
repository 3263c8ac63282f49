// What happens when an object dies.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Whether a weak reference's callback is told of the object's end. One without a callback only
// forgets the object; to ask it is a call, which no segment goes past.
inline bool IsEndTold(BorrowedRef object) {
  const Py_ssize_t at = Py_TYPE(object)->tp_weaklistoffset;  // may lie before the object
  if (at == 0) return false;
  auto* weak = *reinterpret_cast<PyWeakReference**>(reinterpret_cast<char*>(object) + at);
  while (weak != nullptr && weak->wr_callback == nullptr) weak = weak->wr_next;
  return weak != nullptr;
}

// How many references of what dies are followed: they are before each run of an entry that drops
// such a thing.
inline constexpr int kFollowedReferences = 64;

// Whether what `object` refers to, and nothing else does, dies quietly, all the way down, as far as
// it is followed; and no frame dies with an exception's traceback.
bool PartsDieQuietly(BorrowedRef object);

// Whether the object itself has no finalizer, and no weak reference is told of its end; so, too,
// what dies with it. Whether anything else holds the object is not asked, but for classes: one is
// in its own MRO, so that it never dies with a name.
inline bool DiesQuietly(BorrowedRef object) {
  if (PyType_Check(object)) return true;
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_finalize != nullptr || type->tp_del != nullptr) return false;
  if (IsEndTold(object)) return false;
  return !PyType_IS_GC(type) || PartsDieQuietly(object);
}

}  // namespace dynacc
