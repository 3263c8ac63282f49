// Compiled for x86-64-v4 (CMakeLists.txt): see correctly_rounded_powers.h for what may stand here.
#include "runtime/cpu/elementary/correctly_rounded_powers.h"
#include "runtime/cpu/elementary/power_kernels.h"

namespace dynacc::cpu {

const PowerKernels kPowerKernelsV4 = {&CorrectlyRoundedPowersBy<FloatPowers, 64>,
                                      &CorrectlyRoundedPowersBy<DoublePowers, 64>};

}  // namespace dynacc::cpu
