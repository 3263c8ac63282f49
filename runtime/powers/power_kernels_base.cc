// Compiled for every machine: see certain_powers.h for what may stand here.
#include "runtime/powers/certain_powers.h"
#include "runtime/powers/power_kernels.h"

namespace dynacc {

const PowerKernels kPowerKernelsBase = {&CertainPowersBy<FloatPowers, 16>,
                                        &CertainPowersBy<DoublePowers, 16>};

}  // namespace dynacc
