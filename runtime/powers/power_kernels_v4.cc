// Compiled for x86-64-v4 (CMakeLists.txt): see certain_powers.h for what may stand here.
#include "runtime/powers/certain_powers.h"
#include "runtime/powers/power_kernels.h"

namespace dynacc {

const PowerKernels kPowerKernelsV4 = {&CertainPowersBy<FloatPowers, 64>,
                                      &CertainPowersBy<DoublePowers, 64>};

}  // namespace dynacc
