// Look-ups that run no Python code and set no exception: what guards and sources are made of.
//
// All need the GIL and return borrowed references.
#pragma once

#include <Python.h>

#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc {

// dict[name] for an exact dict and an exact str; null if absent, or if one of them is not that.
// Keys that are not exact strings are never compared, so no __eq__ or __hash__ runs.
BorrowedRef DictGetStr(BorrowedRef dict, BorrowedRef name);

// Where a dict has its version: a number that no two states of dicts share, and that changes with
// every write. Null for a dict that may change without (layout.h, kSplitDictsHaveVersions).
const uint64_t* PlaceOfDictVersion(BorrowedRef dict);

// A type's own namespace, a dict: tp_dict, wherever CPython keeps it. Borrowed.
BorrowedRef NamespaceOf(PyTypeObject* type);

// A number of the state that the type and its bases are in: a tp_version_tag, or the one that it
// stands for (class_states.h). Assigns one if the type has none; 0 if CPython gives none, or a
// look-up in the type might run the program's code: names that are no texts (then nothing may be
// guarded by it).
uint32_t TypeVersion(PyTypeObject* type);

// The attribute `name` in the type's MRO, without binding (_PyType_Lookup); null if absent.
inline BorrowedRef TypeLookup(PyTypeObject* type, BorrowedRef name) {
  return _PyType_Lookup(type, name);
}

// The nearest type of `type` and its bases that is written in C, of the heap or not: what it does
// with its instances is its own affair.
PyTypeObject* BuiltinBase(PyTypeObject* type);

}  // namespace dynacc
