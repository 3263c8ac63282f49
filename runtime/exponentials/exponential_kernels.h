// ExponentialKernels: NumPy's vectors of exp, as they are computed for AVX-512.
#pragma once

#include <cstdint>

namespace dynacc {

// y[i] = exp(x[i]) for `count` elements without gaps; x and y may be the same memory. Returns
// whether a finite element was too great, which NumPy's loop reports as an overflow; all other
// flags of that loop are raised. Null where a level has no kernel.
struct ExponentialKernels {
  bool (*of_floats)(const float* x, int64_t count, float* y);
};

extern const ExponentialKernels kExponentialKernelsBase;  // none
extern const ExponentialKernels kExponentialKernelsV4;

}  // namespace dynacc
