// The builtins as the interpreter was started with, whatever a program has put in their places
// since.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc {

// CPython's own copy of the namespace, made before any Python code ran: a dict, which nobody may
// change. Without what the site module adds. Needs the GIL.
BorrowedRef GenuineBuiltins();

}  // namespace dynacc
