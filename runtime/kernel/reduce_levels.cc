#include "runtime/kernel/reduce_levels.h"

#include "runtime/device/cpu_level.h"

namespace dynacc {

const ReduceFns& ReduceFnsOfThisMachine() {
  static const ReduceFns& best = ForBestLevel(kReduceFnsBase, kReduceFnsV3, kReduceFnsV4);
  return best;
}

}  // namespace dynacc
