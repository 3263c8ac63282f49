// The greatest and the least element of a run, without what NumPy's loops of maximum and minimum
// spend on each call: they clear the floating-point flags at its end, which takes longer than a
// row of 1,000 elements.
#pragma once

#include <cstdint>

#include "runtime/tensor/dtype.h"

namespace dynacc {

// The element at acc = the greatest (or least) of it and the n elements without gaps from data on.
// False, and nothing done, where the order of comparisons decides about the bits: NaNs among the
// elements, or a result of zero, which has two signs. Raises no flag.
using ExtremeRunFn = bool (*)(const char* data, int64_t n, char* acc);

// The function for `dtype`; null if there is none.
ExtremeRunFn FindMaxRun(DType dtype);
ExtremeRunFn FindMinRun(DType dtype);

}  // namespace dynacc
