// Where CPython 3.11 keeps the values of dicts and of instances without a dict object. Only for .cc
// files of this folder: it includes internals.h.
#pragma once

#include "frontend/cpython/internals.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// What lies before an object of a class with a managed dict: its values if they are kept without a
// dict, and its dict; one of the two is null. 3.11's pycore_object.h has these as
// _PyObject_ValuesPointer and _PyObject_ManagedDictPointer, but does not compile as C++.
inline PyDictValues** InlineValuesOf(BorrowedRef object) {
  return &reinterpret_cast<PyDictValues**>(object)[-4];
}
inline PyObject** ManagedDictOf(BorrowedRef object) {
  return &reinterpret_cast<PyObject**>(object)[-3];
}

inline bool HasManagedDict(BorrowedRef object) {
  return (Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
}

// The names that instances of a class share whose values are kept without a dict.
inline PyDictKeysObject* const* SharedKeysOf(BorrowedRef object) {
  return &reinterpret_cast<PyHeapTypeObject*>(Py_TYPE(object))->ht_cached_keys;
}

// Whether the entry at `index` has `name` as its key. The index may be of other keys.
inline bool HasKeyAt(PyDictKeysObject* keys, int64_t index, BorrowedRef name) {
  return index < keys->dk_nentries && DK_IS_UNICODE(keys) &&
         DK_UNICODE_ENTRIES(keys)[index].me_key == name;
}

}  // namespace dynacc
