// Random kernels, for comparing two ways to run them.
#pragma once

#include <random>
#include <string>

#include "runtime/kernel/kernel.h"

namespace dynacc::cpu {

// A kernel of a few inputs and up to 24 steps over mixed dtypes: arithmetic, comparisons, casts,
// Where and library calls of exp and arctan2 on float64; of dtypes of up to `widest` bytes. The
// same for the same state of `random`.
kernel::Kernel RandomKernel(const std::string& name, std::mt19937_64& random, int widest = 8);

}  // namespace dynacc::cpu
