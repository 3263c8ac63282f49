// `a ** b` where an array takes part: NumPy's operator, which is not np.power.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/operand.h"

namespace dynacc::numpy {

// For an array and a single exponent of -1, 0, 0.5, 1 or 2 NumPy runs a simpler ufunc instead
// (fast_scalar_power in numpy/core/src/multiarray/number.c of 1.24), else np.power. Since 2.3 it
// does so for a Python int of -1 or 2 and for 0.5 only, as np.power has short cuts of its own.
absl::StatusOr<NumpyTensor*> ArrayPower(symbolic::TraceContext& trace, symbolic::Value* a,
                                        symbolic::Value* b);

// np.power where its loops take short cuts (HasFastPowers, PowerSquares): by the op that does what
// they do for this exponent, or OK with null: no short cut is taken. GraphBreak if that is not
// known.
absl::StatusOr<NumpyTensor*> ShortCutOfPower(symbolic::TraceContext& trace,
                                             absl::Span<const Operand> operands);

}  // namespace dynacc::numpy
