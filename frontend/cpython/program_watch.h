// Waits for what a program does while it starts: for the body of its main module, and for an
// extension module to be loaded.
#pragma once

#include <Python.h>

namespace dynacc {

// --- Waits for the body of the program's main module to start.

// Asks `wanted` about the code of the next body of a `__main__` that starts (a script's, -c's, -m's
// or the prompt's first) in this interpreter; if it says true, calls `before`, and then lets the
// evaluator that is in place by then run it. An evaluator that is there already is left alone.
void WatchForMain(bool (*wanted)(PyCodeObject* code), void (*before)());

// --- Waits for an extension module to be loaded.

// Asks `wanted` about the name of each extension module that this interpreter is about to load, by
// whatever way of importing; when it says true, calls `before` and asks no more. Unlike an audit
// hook this costs programs nothing (audit.h). False, with no exception set, if this CPython offers
// no way.
bool WatchForExtension(bool (*wanted)(PyObject* name), void (*before)());

}  // namespace dynacc
