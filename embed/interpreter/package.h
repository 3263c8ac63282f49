// Makes `import dynacc` work in an interpreter that this process is about to start.
#pragma once

#include <Python.h>

namespace dynacc {

// Adds the package dynacc (frozen_package.h) and its module _dynacc, which `init_module` makes, to
// CPython's tables of frozen and built-in modules. Call once, before Py_InitializeFromConfig.
// Null, or what went wrong.
const char* RegisterPackage(PyObject* (*init_module)());

}  // namespace dynacc
