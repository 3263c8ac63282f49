// A second code object that CPython runs as the first.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc {

// Equal to `code` in all that the interpreter uses, with executed units of its own (layout.h), and
// `room` units more behind them, which co_code does not show. Empty, with an exception set, if
// there is no memory.
Ref CopyCode(PyCodeObject* code, int room);

}  // namespace dynacc
