// Compiled for x86-64-v2 (CMakeLists.txt): see certain_powers.h for what may stand here.
#include "runtime/powers/certain_powers.h"
#include "runtime/powers/power_kernels.h"

namespace dynacc {

const PowerKernels kPowerKernelsV2 = {&CertainPowersBy<FloatPowers, 16>,
                                      &CertainPowersBy<DoublePowers, 16>};

}  // namespace dynacc
