// ExponentialKernels: NumPy's vectors of exp, as they are computed for AVX-512.
#pragma once

#include <cstdint>

namespace dynacc::cpu {

// What the vectors do not raise by themselves, because such elements never reach the formula.
struct ExponentialErrors {
  bool overflow = false;   // a finite element was too great
  bool underflow = false;  // a finite element was so small that exp is 0
};

// y[i] = exp(x[i]) for `count` elements without gaps; x and y may be the same memory. All flags of
// NumPy's loop are raised but those that the result names. Null where a level has no kernel.
using ExponentialKernel = ExponentialErrors (*)(const float* x, int64_t count, float* y);

struct ExponentialKernels {
  ExponentialKernel of_floats;
};

extern const ExponentialKernels kExponentialKernelsBase;  // none
extern const ExponentialKernels kExponentialKernelsV4;

}  // namespace dynacc::cpu
