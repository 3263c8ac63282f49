// The iterators of CPython: what they have still to give, and how to move them on without running
// them.
#pragma once

#include <Python.h>

#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc {

// --- What a range_iterator of CPython has still to give, and how to move it on without running it.

struct RangeRest {
  int64_t next;
  int64_t step;
  int64_t rounds;  // values left
};

// Ranges beyond a C long have iterators of another type.
inline bool IsRangeIterator(BorrowedRef object) { return Py_TYPE(object) == &PyRangeIter_Type; }

RangeRest RestOfRange(BorrowedRef iterator);

// Leaves `rounds` values in the iterator, no more than it has.
void LeaveInRange(BorrowedRef iterator, int64_t rounds);

// --- Where CPython's iterators over sequences stand: of those without one of their own, as arrays
// are, and of lists, strings and bytes.

// seqiterobject of CPython's Objects/iterobject.c; the iterators of listobject.c,
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

// --- What enumerate and zip objects of CPython go over, and how to move them on without running
// them.

struct EnumerateIterator {  // enumobject of CPython's Objects/enumobject.c
  PyObject ob_base;
  Py_ssize_t index;  // of the next item
  PyObject* iterator;
  PyObject* result;
  PyObject* long_index;  // not null where the index is beyond a Py_ssize_t
  PyObject* one;
};

struct ZipIterator {  // zipobject of CPython's Python/bltinmodule.c
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
