// The internal headers of the CPython that DynaCC is built for. Only this folder includes this
// file.
//
// HAVE_STD_ATOMIC is undefined first because pycore_atomic.h of 3.11 would include the C header
// <stdatomic.h>, which C++20 compilers do not take; the layout of the structs is the same either
// way (checked with offsetof and sizeof).
#pragma once

#include <Python.h>

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
#if PY_VERSION_HEX >= 0x030D0000
#include <internal/pycore_ceval.h>
#include <internal/pycore_range.h>
#include <internal/pycore_sysmodule.h>
#endif
#if PY_VERSION_HEX >= 0x030E0000
#include <internal/pycore_audit.h>
#include <internal/pycore_stackref.h>
#endif
#undef Py_BUILD_CORE
