// RangeOf: between which numbers an int of a scalar program lies, as far as a graph tells.
//
// Interval arithmetic over the expression (Moore, "Interval Analysis", 1966): sizes of inputs are
// not negative, and conditions that compare an expression with a constant narrow it. Bounds beyond
// 64 bits count as none.
#pragma once

#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "runtime/scalar/scalar_program.h"

namespace dynacc::ir {

struct SizeRange {
  static constexpr int64_t kNoLow = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kNoHigh = std::numeric_limits<int64_t>::max();
  int64_t low = kNoLow;  // both belong to it
  int64_t high = kNoHigh;
};

// `sizes`: expressions that are sizes of arrays; `conditions`: what holds in every run.
SizeRange RangeOf(const ScalarProgram& program, absl::Span<const ScalarId> sizes,
                  absl::Span<const ScalarId> conditions, ScalarId id);

}  // namespace dynacc::ir
