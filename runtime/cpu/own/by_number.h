// Operators of a float32 array and a float64 number that arrays compute, by the number's value as
// NumPy 1.x has it: the number becomes a float32, unless it is finite and beyond that. Such are
// `x / (x.std() + 1e-8)` and `x > x.mean() + 0.5`. With NumPy 2 they are plain kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/cpu/own/own_functions.h"

namespace dynacc::cpu {

inline constexpr absl::string_view kByNumber = "by_number";

// The number of OwnCall: which operator.
enum class ByNumberOperator : int64_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMaximum,
  kMinimum,
  kLess,  // comparisons, with bools for results, from here on
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
};

// Of a callable's name, "_operator.add" or "numpy.add"; nothing if it is none of those.
std::optional<ByNumberOperator> ByNumberOperatorOf(absl::string_view name);

// As WhyNotOwn and RunOwn. ABORTED where the number is beyond float32, so that the result would be
// float64; comparisons, which give bools all the same, are made in float64 then.
std::string WhyNotByNumber(const OwnCall& call, absl::Span<const OperandType> operands,
                           OperandType result);
absl::Status RunByNumber(const OwnCall& call, absl::Span<const StridedView> operands,
                         const StridedView& result);

}  // namespace dynacc::cpu
