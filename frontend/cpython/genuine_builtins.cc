#include "frontend/cpython/genuine_builtins.h"

#include "frontend/cpython/internals.h"

namespace dynacc {

BorrowedRef GenuineBuiltins() { return PyThreadState_Get()->interp->builtins_copy; }

}  // namespace dynacc
