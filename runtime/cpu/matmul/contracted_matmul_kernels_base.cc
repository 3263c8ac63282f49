// Without the operation there is nothing to contract.
#include "runtime/cpu/matmul/contracted_matmul_kernels.h"

namespace dynacc::cpu {

const OrderedMatmulKernels::Multiply kContractedMatmulBase = kOrderedMatmulKernelsBase.of_floats;

}  // namespace dynacc::cpu
