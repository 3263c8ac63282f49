#include "runtime/cpu/elementary/power_kernels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc::cpu {

const PowerKernels& BestPowerKernels() {
  static const PowerKernels& best =
      platform::ForBestLevel(kPowerKernelsBase, kPowerKernelsV3, kPowerKernelsV4);
  return best;
}

}  // namespace dynacc::cpu
