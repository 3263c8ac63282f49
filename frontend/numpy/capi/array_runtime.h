// What runs at every call on real NumPy objects: reading inputs, making results.
//
// All of it needs the GIL. Contracts are those of ArrayNamespace's running half.
#pragma once

#include <cstdint>

#include "frontend/cpython/ref.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::numpy {

bool IsNumpyArray(BorrowedRef object);   // exact ndarray that kernels can read as it is
bool IsNumpyScalar(BorrowedRef object);  // exact NumPy scalar of a dtype of dtype.def

bool IsWritable(BorrowedRef array);  // of an ndarray: flags allow it, without a warning

void ReadNumpy(BorrowedRef object, StridedView* view, void* storage);
PyObject* NewNumpyArray(StridedView& view, bool keeps_memory);
PyObject* NewNumpyScalar(const StridedView& view);
PyObject* NewNumpyView(BorrowedRef base, const StridedView& view);

// FpFlags that np.errstate has set to anything but "ignore", in the current thread.
uint32_t NumpyReportedFpFlags();
// What np.errstate has set for each kind of error, in the current thread, as NumPy keeps it: bits
// of kShiftDivideByZero and so on.
int NumpyErrorMask();
// The FpFlags that such a mask sets to anything but "ignore".
uint32_t ReportedByMask(int mask);
// The mask that sets these to "call" and the others to "ignore".
int CallingMask(uint32_t flags);

// Whether np.setbufsize has not changed the buffers' size in the current thread.
bool HasUsualNumpyBuffers();

}  // namespace dynacc::numpy
