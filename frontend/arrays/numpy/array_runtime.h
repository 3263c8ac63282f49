// What runs at every call on real NumPy objects: reading inputs, making results.
//
// All of it needs the GIL. Contracts are those of ArrayNamespace's running half.
#pragma once

#include <cstdint>

#include "frontend/cpython/ref.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc {

bool IsNumpyArray(BorrowedRef object);   // exact ndarray that kernels can read as it is
bool IsNumpyScalar(BorrowedRef object);  // exact NumPy scalar of a dtype of dtype.def

void ReadNumpy(BorrowedRef object, StridedView* view, void* storage);
PyObject* NewNumpyArray(StridedView& view);
PyObject* NewNumpyScalar(const StridedView& view);
PyObject* NewNumpyView(BorrowedRef base, const StridedView& view);

// FpFlags that np.errstate has set to anything but "ignore", in the current thread.
uint32_t NumpyReportedFpFlags();

// Whether np.setbufsize has not changed the buffers' size in the current thread.
bool HasUsualNumpyBuffers();

}  // namespace dynacc
