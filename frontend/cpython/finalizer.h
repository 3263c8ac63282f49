// What happens when an object dies.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Whether the object itself has no finalizer, and no weak reference is told of its end. What it
// refers to may have.
inline bool DiesQuietly(BorrowedRef object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_finalize != nullptr || type->tp_del != nullptr) return false;
  if (type->tp_weaklistoffset <= 0) return true;
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + type->tp_weaklistoffset) ==
         nullptr;
}

}  // namespace dynacc
