#include "runtime/executor/data_dependent_sizes.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace dynacc::executor {

absl::Status DataDependentSizes::Define(ScalarId late, int64_t value) {
  const int level = program_.Level(late);
  DYNACC_CHECK(level == ++level_) << "late numbers are defined in another order";
  values_[late].i = value;
  if (!program_.EvaluateLevel(level, values_)) {
    return absl::AbortedError("a number that follows from a late size cannot be computed");
  }
  for (const ScalarId condition : conditions_) {
    if (program_.Level(condition) == level && values_[condition].i == 0) {
      return absl::AbortedError("a late size is not as expected");
    }
  }
  const size_t count = std::min(callers_.size(), values_.size());
  if (callers_.data() != values_.data()) std::copy_n(values_.begin(), count, callers_.begin());
  return absl::OkStatus();
}

}  // namespace dynacc::executor
