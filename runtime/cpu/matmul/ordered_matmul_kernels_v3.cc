// Compiled for x86-64-v3 (CMakeLists.txt): see blocked_matmul.h for what may stand here.
#include "runtime/cpu/matmul/blocked_matmul.h"
#include "runtime/cpu/matmul/ordered_matmul_kernels.h"

namespace dynacc::cpu {

const OrderedMatmulKernels kOrderedMatmulKernelsV3 = {
    &BlockedMatmul<float, 32, 6, 2>::Multiply,    &BlockedMatmul<double, 32, 6, 2>::Multiply,
    &BlockedMatmul<uint32_t, 32, 6, 2>::Multiply, &BlockedMatmul<uint64_t, 32, 6, 2>::Multiply,
    &BlockedMatmul<float, 32, 6, 2>::HasNan,      &BlockedMatmul<double, 32, 6, 2>::HasNan};

}  // namespace dynacc::cpu
