// Linear algebra of float32 and float64 matrices, by LAPACK as NumPy's numpy.linalg calls it: the
// functions of OwnCall whose names begin with "linalg.".
//
//   linalg.solve     [..., n, n] and [n] (of one matrix) or [..., n, m]    as the second
//   linalg.inv       [..., n, n]    as it
//   linalg.det       [..., n, n]    without the last two axes
//   linalg.cholesky  [..., n, n], of which the lower triangle counts    as it
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/cpu/own/lapack.h"
#include "runtime/cpu/own/own_functions.h"

namespace dynacc::cpu {

// As WhyNotOwn and RunOwn. ABORTED for a matrix that is singular or not positive definite.
std::string WhyNotLinear(const OwnCall& call, absl::Span<const OperandType> operands,
                         OperandType result);
absl::Status RunLinear(const OwnCall& call, const Lapack& lapack,
                       absl::Span<const StridedView> operands, const StridedView& result);

}  // namespace dynacc::cpu
