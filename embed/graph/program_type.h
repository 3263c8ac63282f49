// Programs (runtime/program) in Python: the functions that export, write and load them, and the
// type _dynacc.Program. embed/python/dynacc/program.py has the public ones. Needs the GIL.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Adds Program, ProgramError and the functions to the module. -1 with an exception set.
int AddProgramType(BorrowedRef module);

}  // namespace dynacc
