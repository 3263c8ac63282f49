// Lookups of a str name in CPython's namespaces (dicts, instances, types) that run no Python code,
// allocate nothing and set no exception. Guards and sources are built on them.
//
// `name` is an exact, interned str with its hash computed. Each lookup takes a LookupCell, in which
// it leaves a hint that makes the next lookup of the same name a few loads and compares:
//
//   in a dict      the dict's version tag (unique over all dicts, new at each change) and the
//                  answer; also the entry's index, for when something else in the dict has
//                  changed: it is used only if the entry at that index has `name` itself as its
//                  key now, so it is sound for any dict in any state.
//   in a type      the type's version tag (unique over all types, zeroed when the type or a base of
//                  it changes) and the answer.
//
// A dict may hold keys that only Python code can compare with `name` (a str subclass, or any object
// with the same hash). Then the answer is Unreadable(): neither present nor absent.
#pragma once

#include <Python.h>

#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc {

inline constexpr uint64_t kNoVersion = ~uint64_t{0};

struct LookupCell {
  int64_t index = 0;
  uint64_t version = kNoVersion;
  PyObject* value = nullptr;  // borrowed from the dict or type that `version` is of
};

namespace name_lookup_internal {

extern PyObject unreadable_object;

BorrowedRef LookupInChangedDict(PyDictObject* dict, BorrowedRef name, LookupCell& cell);

}  // namespace name_lookup_internal

// The object that stands for "only Python code could tell". Never hand it to Python.
inline BorrowedRef Unreadable() { return &name_lookup_internal::unreadable_object; }

// A number that no other dict has had, and that changes with each write; kNoVersion: not yet, or
// never (HasVersion of dict_layout.h).
#if PY_VERSION_HEX >= \
    0x030E0000  // ours, in bits that CPython does not use (v3_14/dict_versions.cc)
inline const uint64_t& VersionTag(const PyDictObject* dict) { return dict->_ma_watcher_tag; }
#else
// CPython calls the field deprecated for all but itself from 3.12 on, and has it all the same.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
inline const uint64_t& VersionTag(const PyDictObject* dict) { return dict->ma_version_tag; }
#pragma GCC diagnostic pop
#endif

// The value of `name` in the own storage of a dict or dict subclass; null if it is absent, or if
// `object` is null or no dict.
inline BorrowedRef LookupInDict(BorrowedRef object, BorrowedRef name, LookupCell& cell) {
  if (object == nullptr || !PyDict_Check(object)) return nullptr;
  auto* dict = reinterpret_cast<PyDictObject*>(object);
  return VersionTag(dict) == cell.version
             ? cell.value
             : name_lookup_internal::LookupInChangedDict(dict, name, cell);
}

// The value of `name` among the instance's own attributes; makes no dict for an instance that has
// its values inline. Null if it is absent.
BorrowedRef LookupInInstance(BorrowedRef object, BorrowedRef name, LookupCell& cell);

// The instance's __dict__ if that exists as an object; null if the instance has none, or keeps its
// values inline. Makes none.
BorrowedRef DictOfInstance(BorrowedRef object);

// Whether comparing the object with a key of DynaCC's runs no code but CPython's own.
bool ComparesPlainly(BorrowedRef object);

// The value of `key`, a plain constant (None, a number, str, bytes or a tuple of such), in an exact
// dict; null if it is absent.
BorrowedRef LookupPlainKey(BorrowedRef dict, BorrowedRef key);

// The first hit for `name` along the MRO of `type`; null if there is none.
BorrowedRef LookupInType(PyTypeObject* type, BorrowedRef name, LookupCell& cell);

// Whether two exact strs have the same characters. False if one of them has a legacy form that is
// not ready.
bool SameStr(BorrowedRef a, BorrowedRef b);

}  // namespace dynacc
