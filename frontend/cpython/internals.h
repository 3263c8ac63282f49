// The internal headers of the CPython that we are built for. Only this folder includes this file.
//
// HAVE_STD_ATOMIC is undefined first because pycore_atomic.h would include the C header
// <stdatomic.h>, which C++20 compilers do not take; the layout of the structs is the same either
// way (checked with offsetof and sizeof on 3.11).
#pragma once

#include <Python.h>

#if PY_VERSION_HEX >> 16 != 0x030B
#error "the layout shims in frontend/cpython are for CPython 3.11"
#endif

#undef HAVE_STD_ATOMIC
#define Py_BUILD_CORE 1
#include <internal/pycore_code.h>
#include <internal/pycore_dict.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_moduleobject.h>
#include <internal/pycore_pymem.h>
#include <internal/pycore_pystate.h>
#include <internal/pycore_runtime.h>
#undef Py_BUILD_CORE
