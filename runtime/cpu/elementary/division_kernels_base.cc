#include "runtime/cpu/elementary/division_kernels.h"

namespace dynacc::cpu {

const DivisionKernels kDivisionKernelsBase = {};

}  // namespace dynacc::cpu
