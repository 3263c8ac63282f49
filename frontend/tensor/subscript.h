// tensor[key] and tensor[key] = value.
//
// Integers, slices, None and an ellipsis give views at once; keys with tensors in them are NumPy's
// to do (python_part.h).
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc::tensor {

PyObject* TensorSubscript(PyObject* self, PyObject* key);
int TensorStoreSubscript(PyObject* self, PyObject* key, PyObject* value);

// The sub-tensor at `index` of the first axis, for iteration: null with no exception at the end.
PyObject* TensorItem(PyObject* self, Py_ssize_t index);

}  // namespace dynacc::tensor
