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

namespace dynacc::numpy {

// Imports the C API if the program has imported numpy completely and its version and settings are
// ones whose rules we know (1.x from 1.23 with promotion by value, 2.x up to 2.5). Null otherwise,
// with no exception set; the module (borrowed) on success.
BorrowedRef ImportNumpyApi();

// The major version of the NumPy that ImportNumpyApi found. 1 before.
int NumpyMajor();
// The same with the minor version: 204 for 2.4.
int NumpyVersion();

// Whether a Python number is weak: it takes the dtype of the arrays and NumPy scalars that it
// meets, whatever its value (NEP 50, so NumPy 2). NumPy 1 goes by the value.
inline bool HasWeakNumbers() { return NumpyMajor() >= 2; }

// An object of NumPy's compiled half, numpy.core._multiarray_umath or
// numpy._core._multiarray_umath. Null with an exception set if there is none.
Ref CoreObject(const char* name);
// That module; null, without an exception, if it has not been imported.
BorrowedRef CoreModule();

// FAILED_PRECONDITION, with the reason, if the program has imported a numpy that ImportNumpyApi
// refuses; OK without numpy.
absl::Status CheckNumpy();

inline PyArrayObject* AsArray(BorrowedRef object) {
  return reinterpret_cast<PyArrayObject*>(object);
}

}  // namespace dynacc::numpy
