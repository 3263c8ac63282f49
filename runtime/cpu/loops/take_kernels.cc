#include "runtime/cpu/loops/take_kernels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc::cpu {

const TakeFns& TakeFnsOfThisMachine() {
  static const TakeFns& best = platform::ForBestLevel(kTakeFnsBase, kTakeFnsV3, kTakeFnsV4);
  return best;
}

}  // namespace dynacc::cpu
