// The buffer protocol: memoryview(tensor), np.asarray(tensor) and the like, without a copy.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc::tensor {

// The type's bf_getbuffer.
int FillBuffer(PyObject* self, Py_buffer* buffer, int flags);

}  // namespace dynacc::tensor
