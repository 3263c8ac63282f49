// What enumerate and zip objects of CPython go over, and how to move them on without running them.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

struct EnumerateIterator {  // enumobject of CPython 3.11's Objects/enumobject.c
  PyObject ob_base;
  Py_ssize_t index;  // of the next item
  PyObject* iterator;
  PyObject* result;
  PyObject* long_index;  // not null where the index is beyond a Py_ssize_t
  PyObject* one;
};

struct ZipIterator {  // zipobject of CPython 3.11's Python/bltinmodule.c
  PyObject ob_base;
  Py_ssize_t size;
  PyObject* iterators;  // a tuple; null when there are none
  PyObject* result;
  int strict;
};

// Null if `object` is none, or has come to where its index is no longer one.
inline EnumerateIterator* AsEnumerate(BorrowedRef object) {
  if (Py_TYPE(object) != &PyEnum_Type) return nullptr;
  auto* iterator = reinterpret_cast<EnumerateIterator*>(object);
  return iterator->long_index == nullptr ? iterator : nullptr;
}

// Null if `object` is none, or a strict one.
inline ZipIterator* AsZip(BorrowedRef object) {
  if (Py_TYPE(object) != &PyZip_Type) return nullptr;
  auto* iterator = reinterpret_cast<ZipIterator*>(object);
  return iterator->strict == 0 && iterator->size > 0 ? iterator : nullptr;
}

}  // namespace dynacc
