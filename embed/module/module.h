// The C++ half of the `dynacc` package: the module _dynacc.
//
// Built into the launcher and libdynacc_embed (embed/interpreter/package.h registers it) and as an
// extension module for a stock python3. Its contents are private; embed/python/dynacc/__init__.py
// is the public face.
#pragma once

#include <Python.h>

// NOLINTNEXTLINE(bugprone-reserved-identifier): CPython makes this name from "_dynacc".
PyMODINIT_FUNC PyInit__dynacc();
