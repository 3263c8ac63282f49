// Keys of dicts that equal themselves only: classes, functions, members of enumerations.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Whether `object` equals nothing but itself, and KeyHash is its hash. Runs Enum.__hash__.
bool IsIdentityKey(BorrowedRef object);

// Whether that is so of a member of an enumeration.
bool IsEnumMember(BorrowedRef object);

// The hash of a plain constant or of an object for which IsIdentityKey or IsIntMember once held;
// runs no Python code.
Py_hash_t KeyHash(BorrowedRef key);

// Whether `object` is a member of an enumeration of ints that hashes and compares as its int does.
bool IsIntMember(BorrowedRef object);

// The int, float or str that a member of an enumeration of such is (enum.IntEnum and the like);
// empty for other objects.
Ref PlainFormOfMember(BorrowedRef object);

}  // namespace dynacc
