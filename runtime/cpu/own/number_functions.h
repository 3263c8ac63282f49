// Functions of single numbers, as Python's operators, its module math and NumPy's scalars compute
// them: the functions of OwnCall that number_functions.def lists.
//
//   numbers: 1 for Python's errors, 0 for none (NumPy's scalars only warn); then two for each
//            argument, how it is given (NumberArgument) and its value
//   operands of rank 0, real numbers; the result is a float of the type in which all is computed,
//   or an i64 of a function that gives whole numbers
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/cpu/own/own_functions.h"

namespace dynacc::cpu {

enum class NumberArgument : int64_t {
  kOperand,  // the next operand; the value is 0
  kFloat,    // the bits of a double
  kInt,
};

bool IsNumberFunction(absl::string_view name);

// As WhyNotOwn and RunOwn. ABORTED where Python raises an error.
std::string WhyNotNumber(const OwnCall& call, absl::Span<const OperandType> operands,
                         OperandType result);
absl::Status RunNumber(const OwnCall& call, absl::Span<const StridedView> operands,
                       const StridedView& result);

}  // namespace dynacc::cpu
