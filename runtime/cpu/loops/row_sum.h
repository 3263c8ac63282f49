// Sums of rows: what NumPy's add.reduce does along an axis that is not the innermost, without a
// call of its loop for each row.
#pragma once

#include <cstdint>

#include "runtime/kernel/library_loops.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

// For each i < n: the element at acc + i items += elements i of all rows, one row after the other.
// Rows begin row_stride bytes apart and have no gaps. Raises the flags of those additions.
using SumRowsFn = void (*)(const char* data, int64_t row_stride, int64_t rows, int64_t n,
                           char* acc);

// The function for `dtype` that is best on this machine. Null if there is none, or if `loop`, the
// library's own for add, turns out to give other bits (of NaNs, as two may meet).
SumRowsFn FindSumRows(DType dtype, const kernel::LibraryLoop& loop);

}  // namespace dynacc::cpu
