// Keys of dicts that equal themselves only: classes, functions, members of enumerations.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Whether `object` equals nothing but itself, and KeyHash is its hash. Runs Enum.__hash__.
bool IsIdentityKey(BorrowedRef object);

// Whether that is so of a member of an enumeration.
bool IsEnumMember(BorrowedRef object);

// The hash of a plain constant or of an object for which IsIdentityKey once held; runs no Python
// code.
Py_hash_t KeyHash(BorrowedRef key);

}  // namespace dynacc
