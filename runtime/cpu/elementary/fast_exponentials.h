// The array library's loop of exp for float32, in a third of its time.
//
// NumPy's vectors of exp for AVX-512 (loops_exponent_log.dispatch.c.src) pay for masks, special
// values and strides with every vector. The same operations in the same order on the lanes alone
// give the same bits: most vectors hold nothing special, and those that do go another way.
//
// Whether and how the library's loop computes like this (QuotientRounding) is asked of its results
// before the first use: on some ten thousand numbers over the whole range, special ones among them,
// every bit and every floating-point flag must be the same. Where one is not (another version,
// other vectors, NumPy told to use fewer instructions), the library's loop is called as before.
#pragma once

#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

// A loop with the arguments, results and flags of `library`, NumPy's loop of exp for `dtype`, to be
// called in its place; `library` itself for other dtypes (float64's is Intel's SVML) and machines
// without AVX-512. One in a process; a later call replaces the library of the first.
kernel::LibraryLoop FastExponentials(DType dtype, kernel::LibraryLoop library);

}  // namespace dynacc::cpu
