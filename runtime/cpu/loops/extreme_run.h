// The greatest and the least element of a run, or of each column of some rows, without what NumPy's
// loops of maximum and minimum spend on each call: they clear the floating-point flags at its end,
// which takes longer than a row of 1,000 elements.
#pragma once

#include <cstdint>

#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

// The element at acc = the greatest (or least) of it and the n elements without gaps from data on.
// False, and nothing done, where the order of comparisons decides about the bits: NaNs among the
// elements, or a result of zero, which has two signs. Raises no flag.
using ExtremeRunFn = bool (*)(const char* data, int64_t n, char* acc);

// The function for `dtype`; null if there is none.
ExtremeRunFn FindMaxRun(DType dtype);
ExtremeRunFn FindMinRun(DType dtype);

// For each i < n: element i at acc = the greatest (or least) of it and elements i of all rows,
// which begin row_stride bytes apart. False where the order of comparisons decides about the bits
// of one of them: then some have their value already, and to compare all rows with them again gives
// the same as if they had not. Raises no flag.
using ExtremeRowsFn = bool (*)(const char* data, int64_t row_stride, int64_t rows, int64_t n,
                               char* acc);

ExtremeRowsFn FindMaxRows(DType dtype);
ExtremeRowsFn FindMinRows(DType dtype);

// The place of the first NaN among the n elements without gaps from data on, or else of the first
// of those that are the greatest (or least); n > 0. Raises no flag.
using ArgExtremeFn = int64_t (*)(const char* data, int64_t n);

// The function for `dtype`; null if there is none.
ArgExtremeFn FindArgMax(DType dtype);
ArgExtremeFn FindArgMin(DType dtype);

}  // namespace dynacc::cpu
