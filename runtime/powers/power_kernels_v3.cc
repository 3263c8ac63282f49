// Compiled for x86-64-v3 (CMakeLists.txt): see certain_powers.h for what may stand here.
#include "runtime/powers/certain_powers.h"
#include "runtime/powers/power_kernels.h"

namespace dynacc {

const PowerKernels kPowerKernelsV3 = {&CertainPowersBy<FloatPowers, 32>,
                                      &CertainPowersBy<DoublePowers, 32>};

}  // namespace dynacc
