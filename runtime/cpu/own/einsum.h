// np.einsum without a BLAS: the function "einsum" of OwnCall.
//
//   numbers: the result's rank and labels, then the same of each operand; a label is a number
//            that names an axis, and equal labels go together (those of the letters, as NumPy sums
//            along axes in their order)
//   operands of one dtype, an integer or float32 or float64; the result has it, too
//
// The sums of floats are added as NumPy's loops do it on x86-64: NumPy orders the axes by the
// strides, merges those that lie one behind the other, and adds along the innermost one in lanes of
// 16 bytes where it is a sum of neighbours, else one term after the other.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/cpu/own/own_functions.h"

namespace dynacc::cpu {

// As WhyNotOwn and RunOwn. ABORTED if axes of one label have other sizes.
std::string WhyNotEinsum(const OwnCall& call, absl::Span<const OperandType> operands,
                         OperandType result);
absl::Status RunEinsum(const OwnCall& call, absl::Span<const StridedView> operands,
                       const StridedView& result);

}  // namespace dynacc::cpu
