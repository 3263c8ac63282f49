// NumPy's C API, as every file of this folder includes it. Only numpy_api.cc imports it; until
// ImportNumpyApi has succeeded no function of the API may be called.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL dynacc_numpy_array_api
#define PY_UFUNC_UNIQUE_SYMBOL dynacc_numpy_ufunc_api
#ifndef DYNACC_IMPORTS_NUMPY_API
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif

#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <numpy/ufuncobject.h>

#include "absl/status/status.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// Imports the C API if the program has imported numpy completely and its version and settings are
// ones whose rules we know (1.x from 1.23, promotion by value). Null otherwise, with no exception
// set; the module (borrowed) on success.
BorrowedRef ImportNumpyApi();

// FAILED_PRECONDITION, with the reason, if the program has imported a numpy that ImportNumpyApi
// refuses; OK without numpy.
absl::Status CheckNumpy();

inline PyArrayObject* AsArray(BorrowedRef object) {
  return reinterpret_cast<PyArrayObject*>(object);
}

}  // namespace dynacc
