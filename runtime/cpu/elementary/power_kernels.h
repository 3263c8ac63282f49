// PowerKernels: whole powers of negative numbers, where it is certain how they are rounded.
#pragma once

#include <cstdint>

namespace dynacc::cpu {

// Elements that a kernel works on at once, and the exponents that it knows.
inline constexpr int64_t kPowerBlock = 256;
inline constexpr int kLeastPower = 2;
inline constexpr int kMostPower = 8;

// What a kernel makes of a block.
template <typename T>
struct PowerBlock {
  alignas(64) T found[kPowerBlock];      // of elements that are certain: the power; of others: 0
  alignas(64) T remaining[kPowerBlock];  // the elements, 1 in place of those that are certain
};

// Computes `count` elements of `x` to the power `exponent`, in more than twice the precision. An
// element is certain if it is negative, its power of a moderate size, and any function with the
// error bounds of glibc's pow and powf rounds the power to the same number. `x` is a whole block:
// elements past `count` may be read, and written in `block`. May leave any floating-point flag.
struct PowerKernels {
  void (*of_floats)(const float* x, int64_t count, int exponent, PowerBlock<float>& block);
  void (*of_doubles)(const double* x, int64_t count, int exponent, PowerBlock<double>& block);
};

// Compiled for every machine, and for levels of x86-64 with wider registers.
extern const PowerKernels kPowerKernelsBase;
extern const PowerKernels kPowerKernelsV3;
extern const PowerKernels kPowerKernelsV4;

// The widest that this machine has and DYNACC_CPU allows.
const PowerKernels& BestPowerKernels();

}  // namespace dynacc::cpu
