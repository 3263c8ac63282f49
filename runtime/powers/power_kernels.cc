#include "runtime/powers/power_kernels.h"

#include "runtime/device/cpu_level.h"

namespace dynacc {

const PowerKernels& BestPowerKernels() {
  static const PowerKernels& best =
      ForBestLevel(kPowerKernelsBase, kPowerKernelsV3, kPowerKernelsV4);
  return best;
}

}  // namespace dynacc
