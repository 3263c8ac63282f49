#include "frontend/cpython/genuine_builtins.h"

#include "frontend/cpython/layout.h"

namespace dynacc {

BorrowedRef GenuineBuiltins() { return PyThreadState_Get()->interp->builtins_copy; }

}  // namespace dynacc
