// CPython 3.13's internal headers. Only frontend/cpython includes this file.
#pragma once

#include <Python.h>

#define Py_BUILD_CORE 1
#include <internal/pycore_ceval.h>
#include <internal/pycore_code.h>
#include <internal/pycore_dict.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_moduleobject.h>
#include <internal/pycore_pymem.h>
#include <internal/pycore_pystate.h>
#include <internal/pycore_range.h>
#include <internal/pycore_runtime.h>
#include <internal/pycore_sysmodule.h>
#undef Py_BUILD_CORE
