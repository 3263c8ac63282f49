#include "runtime/divisions/division_kernels.h"

namespace dynacc {

const DivisionKernels kDivisionKernelsBase = {};

}  // namespace dynacc
