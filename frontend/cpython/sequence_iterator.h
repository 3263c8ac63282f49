// Where CPython's iterators over sequences stand: of those without one of their own, as arrays are,
// and of lists, strings and bytes.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// seqiterobject of CPython 3.11's Objects/iterobject.c; the iterators of listobject.c,
// tupleobject.c, unicodeobject.c, bytesobject.c and bytearrayobject.c are laid out alike.
struct SequenceIterator {
  PyObject ob_base;
  Py_ssize_t index;    // of the next item
  PyObject* sequence;  // null when it has come to the end
};

// The type of the iterator over ASCII text, which has no name outside CPython.
inline PyTypeObject* AsciiIteratorType() {
  static PyTypeObject* const type = [] {
    const Ref text = Ref::Steal(PyUnicode_FromString("a"));
    const Ref iterator = text ? Ref::Steal(PyObject_GetIter(text.get())) : Ref();
    PyErr_Clear();
    return iterator ? Py_TYPE(iterator.get()) : &PyUnicodeIter_Type;
  }();
  return type;
}

// Null if `object` is no such iterator, or has come to the end.
inline SequenceIterator* AsSequenceIterator(BorrowedRef object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type != &PySeqIter_Type && type != &PyListIter_Type && type != &PyBytesIter_Type &&
      type != &PyByteArrayIter_Type && type != &PyUnicodeIter_Type && type != AsciiIteratorType()) {
    return nullptr;
  }
  auto* iterator = reinterpret_cast<SequenceIterator*>(object);
  return iterator->sequence == nullptr ? nullptr : iterator;
}

// Likewise of a list or tuple itself, of which nothing but that is known.
inline SequenceIterator* AsItemIterator(BorrowedRef object) {
  if (Py_TYPE(object) != &PyListIter_Type && Py_TYPE(object) != &PyTupleIter_Type) return nullptr;
  auto* iterator = reinterpret_cast<SequenceIterator*>(object);
  const bool is_plain = iterator->sequence != nullptr && (PyList_CheckExact(iterator->sequence) ||
                                                          PyTuple_CheckExact(iterator->sequence));
  return is_plain ? iterator : nullptr;
}

}  // namespace dynacc
