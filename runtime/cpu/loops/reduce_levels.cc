#include "runtime/cpu/loops/reduce_levels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc {

const ReduceFns& ReduceFnsOfThisMachine() {
  static const ReduceFns& best = ForBestLevel(kReduceFnsBase, kReduceFnsV3, kReduceFnsV4);
  return best;
}

}  // namespace dynacc
