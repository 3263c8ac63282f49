// Memory of results that are large, or of a compilation that reuses them: blocks of the process's
// BufferCache, kept for reuse when arrays die.
//
// NumPy asks the C library, which maps a large array's pages anew each time; touching them for the
// first time takes longer than most kernels. An array of ours differs from NumPy's own only in its
// memory handler (NEP 49), which NumPy calls to free or resize its data; tracemalloc is told of it
// as of any other.
#pragma once

#include "frontend/cpython/ref.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::numpy {

// Results of so many bytes and more; below, the C library's heap is as good.
constexpr int64_t kLargeResultBytes = int64_t{1} << 20;

// A fresh array with `view`'s dtype, shape and dense strides that owns its data; sets view.data.
// Null with an exception set if there is no memory.
PyObject* NewKeptArray(StridedView& view);

}  // namespace dynacc::numpy
