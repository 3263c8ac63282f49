#include "runtime/cpu/loops/move_kernels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc::cpu {

const MoveFns& MoveFnsOfThisMachine() {
  static const MoveFns& best = platform::ForBestLevel(kMoveFnsBase, kMoveFnsV3, kMoveFnsV4);
  return best;
}

}  // namespace dynacc::cpu
