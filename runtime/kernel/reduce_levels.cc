#include "runtime/kernel/reduce_levels.h"

#include "absl/algorithm/container.h"
#include "runtime/device/cpu_level.h"

namespace dynacc {
namespace {

const ReduceFns& FindBest() {
#if defined(__x86_64__)
  const auto levels = LevelsOfThisMachine();
  if (absl::c_linear_search(levels, "x86-64-v4")) return kReduceFnsV4;
  if (absl::c_linear_search(levels, "x86-64-v3")) return kReduceFnsV3;
#endif
  return kReduceFnsBase;
}

}  // namespace

const ReduceFns& ReduceFnsOfThisMachine() {
  static const ReduceFns& best = FindBest();
  return best;
}

}  // namespace dynacc
