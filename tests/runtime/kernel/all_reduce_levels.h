// The reductions of every instruction-set level that this machine has.
#pragma once

#include <vector>

#include "absl/algorithm/container.h"
#include "runtime/device/cpu_level.h"
#include "runtime/kernel/reduce_levels.h"

namespace dynacc::testing {

inline std::vector<ReduceFns> AllReduceLevels() {
  std::vector<ReduceFns> fns = {kReduceFnsBase};
#if defined(__x86_64__)
  const auto levels = LevelsOfThisMachine();
  if (absl::c_linear_search(levels, "x86-64-v3")) fns.push_back(kReduceFnsV3);
  if (absl::c_linear_search(levels, "x86-64-v4")) fns.push_back(kReduceFnsV4);
#endif
  return fns;
}

}  // namespace dynacc::testing
