// What happens when an object dies.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Whether it iterates over another iterator, as zip and map do, which may be a generator.
inline bool IteratesOverIterator(PyTypeObject* type) {
  return type->tp_iternext != nullptr && PyType_IS_GC(type) && type != &PyListIter_Type &&
         type != &PyTupleIter_Type && type != &PySeqIter_Type && type != &PyDictIterKey_Type &&
         type != &PyDictIterValue_Type && type != &PyDictIterItem_Type && type != &PySetIter_Type;
}

// Whether the object itself has no finalizer, and no weak reference is told of its end. What it
// refers to may have.
inline bool DiesQuietly(BorrowedRef object) {
  PyTypeObject* type = Py_TYPE(object);
  if (IteratesOverIterator(type)) return false;
  if (type->tp_finalize != nullptr || type->tp_del != nullptr) return false;
  if (type->tp_weaklistoffset <= 0) return true;
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + type->tp_weaklistoffset) ==
         nullptr;
}

}  // namespace dynacc
