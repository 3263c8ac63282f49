// Compiled for x86-64-v4, with products and sums contracted (CMakeLists.txt): see blocked_matmul.h
// for what may stand here.
#include "runtime/cpu/matmul/blocked_matmul.h"
#include "runtime/cpu/matmul/contracted_matmul_kernels.h"

namespace dynacc::cpu {

const OrderedMatmulKernels::Multiply kContractedMatmulV4 =
    &BlockedMatmul<float, 64, 6, 4>::Multiply;

}  // namespace dynacc::cpu
