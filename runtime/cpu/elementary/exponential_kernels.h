// ExponentialKernels: NumPy's vectors of exp, as they are computed for AVX-512.
//
// NumPy's builds differ in one operation: the quotient x / ln 2, whose whole part is split off, is
// a product to which a number is added. The compiler of Debian's NumPy made that one operation,
// which rounds once; NumPy's wheels, from 2.4 on, round the product, too. 84 of all numbers have
// another exponential.
#pragma once

#include <cstdint>

namespace dynacc::cpu {

// What the vectors do not raise by themselves, because such elements never reach the formula.
struct ExponentialErrors {
  bool overflow = false;   // a finite element was too great
  bool underflow = false;  // a finite element was so small that exp is 0
};

enum class QuotientRounding { kOnce, kTwice };

// Some of the numbers whose exponentials differ.
inline constexpr float kRoundingSamples[] = {0x1.0a2b24p+0f,  0x1.791274p+2f,  0x1.4f7bb6p+5f,
                                             0x1.5ebb84p+6f,  -0x1.0a2b24p+0f, -0x1.25e4f8p+4f,
                                             -0x1.be6306p+5f, -0x1.5ebb84p+6f};

// y[i] = exp(x[i]) for `count` elements without gaps; x and y may be the same memory. All flags of
// NumPy's loop are raised but those that the result names. Null where a level has no kernel.
using ExponentialKernel = ExponentialErrors (*)(const float* x, int64_t count, float* y);

struct ExponentialKernels {
  ExponentialKernel of_floats[2];  // by QuotientRounding

  ExponentialKernel Of(QuotientRounding rounding) const {
    return of_floats[static_cast<int>(rounding)];
  }
};

extern const ExponentialKernels kExponentialKernelsBase;  // none
extern const ExponentialKernels kExponentialKernelsV4;

}  // namespace dynacc::cpu
