// Waits for an extension module to be loaded.
#pragma once

#include <Python.h>

namespace dynacc {

// Asks `wanted` about the name of each extension module that this interpreter is about to load, by
// whatever way of importing; when it says true, calls `before` and asks no more. Unlike an audit
// hook this costs programs nothing (audit.h). False, with no exception set, if this CPython offers
// no way.
bool WatchForExtension(bool (*wanted)(PyObject* name), void (*before)());

}  // namespace dynacc
