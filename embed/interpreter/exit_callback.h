// A callback of CPython's atexit, without leaving the module `atexit` behind.
#pragma once

#include <Python.h>

namespace dynacc {

// Registers `callback` with atexit. What is registered first is run last: call this before the
// program's own code runs. The module `atexit` is dropped from sys.modules again if this import was
// its first, because python3 does not load it at start-up either; the registration outlives it.
// False, with no exception set, if CPython refused. One callback a process.
bool CallAtExit(void (*callback)());

}  // namespace dynacc
