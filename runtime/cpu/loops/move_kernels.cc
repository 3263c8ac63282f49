#include "runtime/cpu/loops/move_kernels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc {

const MoveFns& MoveFnsOfThisMachine() {
  static const MoveFns& best = ForBestLevel(kMoveFnsBase, kMoveFnsV3, kMoveFnsV4);
  return best;
}

}  // namespace dynacc
