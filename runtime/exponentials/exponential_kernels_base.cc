#include "runtime/exponentials/exponential_kernels.h"

namespace dynacc {

const ExponentialKernels kExponentialKernelsBase = {nullptr};

}  // namespace dynacc
