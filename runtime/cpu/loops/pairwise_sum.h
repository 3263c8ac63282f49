// Pairwise sums: the bits of NumPy's add.reduce, several blocks at once.
//
// NumPy adds a run of up to 128 elements in eight running sums, and halves a longer run recursively
// (pairwise_sum in numpy/core/src/umath/loops_utils.h.src). Eight chains of dependent additions
// leave most of a CPU's adders idle. The blocks of 128 do not depend on each other, nor do the runs
// of a batch, so here up to eight of them are summed at a time, in a vector of eight running sums
// each, and their results are then added in NumPy's order.
#pragma once

#include <cstdint>

#include "runtime/kernel/library_loops.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

// For each r < runs: the element at acc + r * acc_stride += the pairwise sum of the n elements
// without gaps from data + r * run_stride on. Strides in bytes; acc_stride may be 0: then they are
// added one after the other. Raises the flags of those additions.
using SumRunsFn = void (*)(const char* data, int64_t run_stride, int64_t runs, int64_t n, char* acc,
                           int64_t acc_stride);

// The function for `dtype`, floats or integers of 64 bits, that is best on this machine. Null if
// there is none, or if `loop`, the library's own for add, turns out to add floats in another order
// (it is tried on some runs once).
SumRunsFn FindSumRuns(DType dtype, const kernel::LibraryLoop& loop);

// Where NumPy halves a run of n elements; 0 if it adds it up as one block. Static: the files for
// higher instruction sets must not lend their code to others.
static inline int64_t PairwiseHalf(int64_t n) { return n <= 128 ? 0 : n / 2 - n / 2 % 8; }

}  // namespace dynacc::cpu
