// Where CPython's iterator over a sequence without one of its own (as arrays are) stands.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

struct SequenceIterator {  // seqiterobject of CPython 3.11's Objects/iterobject.c
  PyObject ob_base;
  Py_ssize_t index;    // of the next item
  PyObject* sequence;  // null when it has come to the end
};

// Null if `object` is no such iterator, or has come to the end.
inline SequenceIterator* AsSequenceIterator(BorrowedRef object) {
  if (Py_TYPE(object) != &PySeqIter_Type) return nullptr;
  auto* iterator = reinterpret_cast<SequenceIterator*>(object);
  return iterator->sequence == nullptr ? nullptr : iterator;
}

}  // namespace dynacc
