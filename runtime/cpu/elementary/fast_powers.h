// FastPowers: the array library's loop of `x ** 3`, `r ** -1.5` and the like, in vectors.
//
// NumPy has vectors of its own for positive numbers on CPUs with AVX-512 only. All else is handed
// to the C library, number by number, which takes 10 to 50 times as long, and every cubic term of a
// simulation pays for it. The C library's pow is not correctly rounded, but nearly: its error is
// known to be little over half a unit of the last place for results of a moderate size
// (correctly_rounded_powers.h has the bounds, glibc's e_pow.c and e_powf.c state the parts of it).
// So where the exact power is not close to the middle between two numbers, it is certain which of
// them the library gives, and the power is computed here, in more than twice the precision, a
// vector at a time. What is not certain (3 % of doubles, 5 to 25 % of floats, more for higher
// exponents) goes to the library's loop.
//
// Whether the library's loop is of that kind is asked of its results, before the first use of an
// exponent: if a power of a sample differs, the library's loop is called for everything. For
// positive numbers all results of the sample must be the C library's own. On machines with AVX-512
// they are the library's in any case: its vectors are quick.
#pragma once

#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

// A loop with the arguments and the results of `library`, NumPy's power loop for `dtype`, to be
// called in its place; `library` itself for dtypes without kernels. One for each dtype
// in a process; a later call for the same dtype replaces the library of the first.
kernel::LibraryLoop FastPowers(DType dtype, kernel::LibraryLoop library);

}  // namespace dynacc::cpu
