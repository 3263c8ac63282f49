// PowerKernels: whole and half powers, where it is certain how they are rounded.
#pragma once

#include <cstdint>

namespace dynacc::cpu {

// Elements that a kernel works on at once.
inline constexpr int64_t kPowerBlock = 256;

// The greatest exponent that kernels know, and its negative.
inline constexpr int kMostPower = 8;

// One that kernels know: plus or minus (whole + 1/2 if it has a half), not 0.
struct PowerExponent {
  int whole;
  bool has_half;
  bool is_negative;
};

// The bases that a kernel works on. Of negative ones there are no half powers.
enum class PowerBases { kNegative, kAll };

// Computes `count` elements of `x` to the power `exponent`, in more than twice the precision.
// `found` gets the power of each element that is certain, and 0 for others. An element is certain
// if it is one of `bases`, its power of a moderate size, and any function with the error bounds of
// glibc's pow and powf rounds the power to the same number. `x` and `found` are whole blocks:
// elements past `count` may be read and written. May leave any floating-point flag.
struct PowerKernels {
  void (*of_floats)(const float* x, int64_t count, PowerExponent exponent, PowerBases bases,
                    float* found);
  void (*of_doubles)(const double* x, int64_t count, PowerExponent exponent, PowerBases bases,
                     double* found);
};

// Compiled for every machine, and for levels of x86-64 with wider registers.
extern const PowerKernels kPowerKernelsBase;
extern const PowerKernels kPowerKernelsV3;
extern const PowerKernels kPowerKernelsV4;

// The widest that this machine has and DYNACC_CPU allows.
const PowerKernels& BestPowerKernels();

}  // namespace dynacc::cpu
