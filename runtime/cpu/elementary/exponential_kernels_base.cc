#include "runtime/cpu/elementary/exponential_kernels.h"

namespace dynacc::cpu {

const ExponentialKernels kExponentialKernelsBase = {nullptr};

}  // namespace dynacc::cpu
