#include "runtime/executor/data_dependent_sizes.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace dynacc::executor {

absl::Status DataDependentSizes::Define(ScalarId number, int64_t value) {
  const int level = program_.Level(number);
  DYNACC_CHECK(level == ++level_) << "data-dependent numbers are defined in another order";
  values_[number].i = value;
  if (!program_.EvaluateLevel(level, values_)) {
    return absl::AbortedError(
        "a number that follows from a data-dependent size cannot be computed");
  }
  for (const ScalarId condition : conditions_) {
    if (program_.Level(condition) == level && values_[condition].i == 0) {
      return absl::AbortedError("a data-dependent size is not as expected");
    }
  }
  for (const LateInputSize& late : late_) {
    if (program_.Level(late.size) == level &&
        inputs_[late.input].shape[late.axis] != values_[late.size].i) {
      return absl::AbortedError("an array has another size than the run gives what it belongs to");
    }
  }
  const size_t count = std::min(callers_.size(), values_.size());
  if (callers_.data() != values_.data()) std::copy_n(values_.begin(), count, callers_.begin());
  return absl::OkStatus();
}

}  // namespace dynacc::executor
