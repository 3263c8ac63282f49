// Loops of our own for what the array library's inner loops do: what a program runs where there is
// no array library (runtime/program).
//
// Sums are added as NumPy adds them, products of matrices in order, integers wrap, float32's exp is
// NumPy's for AVX-512, and what is left is the op's element function, which calls the C library's
// where it must. Whether that has the bits of the NumPy at hand is asked of its loops, before a
// program is made: FindForm.
//
// A loop gives the same bits on every machine, but for those that call the C library.
#pragma once

#include <optional>

#include "runtime/kernel/library_loops.h"
#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

// The loop for an elementwise op, a reduction (as its binary ufunc's, for reducing and for adding
// up side by side) or Matmul, with operands of `dtype`; empty if there is none.
//
// Where NumPy's builds differ in bits that we know how to give, the loop has several forms: exp of
// float32 has one for each QuotientRounding, and fmax and fmin of zeros of both signs give the
// first or the second. A program says in its kernels which form it needs.
kernel::LibraryLoop OwnLoop(Op op, DType dtype, int form);
kernel::LibraryLoop OwnLoop(Op op, DType dtype);  // the first form

// The form of OwnLoop that gives, on some thousand samples of all magnitudes and in runs of many
// lengths, the bits of `library`, the array library's loop for the same. Of two NaNs one is as good
// as the other, and the greatest or least of zeros of both signs may be either. Nothing if no form
// does. Leaves the floating-point flags as they were.
std::optional<int> FindForm(kernel::LibraryLoop library, Op op, DType dtype);

}  // namespace dynacc::cpu
