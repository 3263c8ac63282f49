#include "runtime/cpu/loops/reduce_levels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc::cpu {

const ReduceFns& ReduceFnsOfThisMachine() {
  static const ReduceFns& best = platform::ForBestLevel(kReduceFnsBase, kReduceFnsV3, kReduceFnsV4);
  return best;
}

}  // namespace dynacc::cpu
