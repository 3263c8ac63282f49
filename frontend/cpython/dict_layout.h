// Where CPython keeps the values of dicts and of instances without a dict object. Only for .cc
// files of this folder.
#pragma once

#include "frontend/cpython/layout.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

inline bool HasManagedDict(BorrowedRef object) {
  return (Py_TYPE(object)->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
}

// Whether the entry at `index` has `name` as its key. The index may be of other keys.
inline bool HasKeyAt(PyDictKeysObject* keys, int64_t index, BorrowedRef name) {
  return index < keys->dk_nentries && DK_IS_UNICODE(keys) &&
         DK_UNICODE_ENTRIES(keys)[index].me_key == name;
}

// Whether each change of the dict's values changes its version from now on. What shares its keys
// has its values elsewhere, perhaps in an instance.
inline bool HasVersion(PyDictObject* dict) {
  return (kSplitDictsHaveVersions || dict->ma_values == nullptr) && KeepsVersion(dict);
}

}  // namespace dynacc
