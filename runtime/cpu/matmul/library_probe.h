// Whether an array library's matrix products are the plain sums in order (ordered_matmul.h).
#pragma once

#include "runtime/cpu/matmul/ordered_matmul_kernels.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

// Compares products of many shapes and layouts by `library`, NumPy's matmul loop for T, with those
// of `multiply`. T: float, double. Takes some 1.3 ms where they agree (measured beside the
// reference BLAS); the first shape that differs ends it. Leaves the floating-point flags as they
// were.
template <typename T>
bool LibraryIsInOrder(kernel::LibraryLoop library, OrderedMatmulKernels::Multiply multiply);

}  // namespace dynacc::cpu
