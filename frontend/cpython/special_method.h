// Special methods, looked up as CPython's loop does: on the type, and bound.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc {

// The method `name` of `object`'s type, bound to `object`. Empty without an exception: there is
// none; with one: binding has failed. May run Python code (descriptors).
Ref LookupSpecialMethod(BorrowedRef object, BorrowedRef name);

}  // namespace dynacc
