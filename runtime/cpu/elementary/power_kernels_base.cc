// Compiled for every machine: see correctly_rounded_powers.h for what may stand here.
#include "runtime/cpu/elementary/correctly_rounded_powers.h"
#include "runtime/cpu/elementary/power_kernels.h"

namespace dynacc::cpu {

const PowerKernels kPowerKernelsBase = {&CorrectlyRoundedPowersBy<FloatPowers, 16>,
                                        &CorrectlyRoundedPowersBy<DoublePowers, 16>};

}  // namespace dynacc::cpu
