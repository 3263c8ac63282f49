// Code that may look at local variables which are dead by its own instructions.
#pragma once

#include "frontend/bytecode/decoded_code.h"
#include "frontend/cpython/ref.h"

namespace dynacc::tracer {

// Whether the code uses something that shows local variables by name: the builtins `locals`,
// `vars`, `dir`, `eval` and `exec`, `sys._getframe`, `inspect.currentframe` and `stack`, an
// `f_locals`. As most attributes called `stack` or `eval` are an array library's or a model's,
// those count where the code imports the module in question, or a global that it names is that
// module. By names alone: a function that goes by another one is not known (docs/limits.md says
// what a program may miss then).
bool MayLookAtLocals(const bytecode::DecodedCode& code, BorrowedRef globals);

}  // namespace dynacc::tracer
