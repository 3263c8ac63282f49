// Compiled for x86-64-v3 (CMakeLists.txt): see correctly_rounded_powers.h for what may stand here.
#include "runtime/cpu/elementary/correctly_rounded_powers.h"
#include "runtime/cpu/elementary/power_kernels.h"

namespace dynacc::cpu {

const PowerKernels kPowerKernelsV3 = {&CorrectlyRoundedPowersBy<FloatPowers, 32>,
                                      &CorrectlyRoundedPowersBy<DoublePowers, 32>};

}  // namespace dynacc::cpu
