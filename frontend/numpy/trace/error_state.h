// How floating-point errors are reported, as it is known while tracing.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/operand.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::numpy {

// Sets it as np.seterr does with the arguments all, divide, over, under and invalid; the bits of
// kShiftDivideByZero and so on before.
absl::StatusOr<int> SetErrorsAs(symbolic::TraceContext& trace, const BoundArgs& args);

// GraphBreak if the operand is a number that underflows as a `dtype`, and underflow is reported:
// kernels get numbers in their dtype, and do not see the flag. A number that varies is required to
// be zero or large enough, where it is so now.
absl::Status RequireQuietConversion(symbolic::TraceContext& trace, const Operand& operand,
                                    DType dtype);

}  // namespace dynacc::numpy
