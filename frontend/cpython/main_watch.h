// Waits for the body of the program's main module to start.
#pragma once

#include <Python.h>

namespace dynacc {

// Asks `wanted` about the code of the next body of a `__main__` that starts (a script's, -c's, -m's
// or the prompt's first) in this interpreter; if it says true, calls `before`, and then lets the
// evaluator that is in place by then run it. An evaluator that is there already is left alone.
void WatchForMain(bool (*wanted)(PyCodeObject* code), void (*before)());

}  // namespace dynacc
