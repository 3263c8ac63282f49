// A second code object that CPython runs as the first.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc {

// Equal to `code` in all that the interpreter uses, with executed units of its own (layout.h).
// Empty, with an exception set, if there is no memory.
Ref CopyCode(PyCodeObject* code);

}  // namespace dynacc
