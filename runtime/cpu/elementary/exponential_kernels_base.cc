#include "runtime/cpu/elementary/exponential_kernels.h"

namespace dynacc {

const ExponentialKernels kExponentialKernelsBase = {nullptr};

}  // namespace dynacc
