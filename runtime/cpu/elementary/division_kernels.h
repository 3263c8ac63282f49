// DivisionKernels: remainders and floored quotients of blocks of numbers, in vectors.
#pragma once

#include <cstdint>

namespace dynacc::cpu {

// Elements that are done together.
inline constexpr int64_t kDivisionBlock = 32;

// out[i] = op(a[i], b[i * b_step]) for `count` elements, a multiple of kDivisionBlock, side by
// side; b_step is 0 or 1. `out` may be `a` or `b`. Returns how many have been done: it stops before
// a block that holds something special (zeros as divisors, numbers that are not finite, quotients
// that a number does not hold, the least integer by -1), of which nothing has been written.
using DivisionFn = int64_t (*)(const char* a, const char* b, int64_t b_step, int64_t count,
                               char* out);

// Null where a level has no kernel.
struct DivisionFns {
  DivisionFn remainder;  // has the sign of the divisor
  DivisionFn floor_divide;
  DivisionFn fmod;  // has the sign of the dividend
};

struct DivisionKernels {
  DivisionFns of_floats, of_doubles, of_int32, of_int64;
};

extern const DivisionKernels kDivisionKernelsBase;  // none
extern const DivisionKernels kDivisionKernelsV3;    // none of 64-bit integers
extern const DivisionKernels kDivisionKernelsV4;

}  // namespace dynacc::cpu
