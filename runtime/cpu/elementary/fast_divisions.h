// The array library's loops of remainder, floor_divide and fmod in vectors.
//
// NumPy asks the C library for each float's fmod, digit by digit, and the processor for each
// integer's quotient. Most can be had from a division of vectors, exactly (division_lanes.h);
// blocks with anything special in them are given to the library's loop.
//
// Whether the library computes as NumPy 1.24 does is asked of its results before the first use: on
// some thousand pairs every bit and every floating-point flag must be the same. Where one is not,
// the library's loop is called as before.
#pragma once

#include "runtime/cpu/elementary/division_kernels.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

enum class Division { kRemainder, kFloorDivide, kFmod };

// A loop with the arguments, results and flags of `library`, NumPy's loop of `division` for
// `dtype`, to be called in its place; `library` itself for dtypes and machines that have no kernel.
// One of each kind in a process; a later call replaces the library of the first.
kernel::LibraryLoop FastDivision(Division division, DType dtype, kernel::LibraryLoop library);

}  // namespace dynacc::cpu
