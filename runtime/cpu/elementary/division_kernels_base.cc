#include "runtime/cpu/elementary/division_kernels.h"

namespace dynacc {

const DivisionKernels kDivisionKernelsBase = {};

}  // namespace dynacc
