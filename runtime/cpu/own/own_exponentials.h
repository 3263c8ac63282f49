// exp of float32 with the bits of NumPy's vectors for AVX-512, on every machine.
#pragma once

#include "runtime/cpu/elementary/exponential_kernels.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

// In vectors with AVX-512 (runtime/cpu/elementary/exponential_kernels.h), one by one elsewhere.
// Raises overflow, and neither underflow nor anything of NaNs.
kernel::LibraryLoop ExponentialLoop(QuotientRounding rounding);

// What that does one by one.
float ExponentialOneByOne(QuotientRounding rounding, float x);

}  // namespace dynacc::cpu
