// Compiled for x86-64-v4 (CMakeLists.txt): see blocked_matmul.h for what may stand here.
#include "runtime/cpu/matmul/blocked_matmul.h"
#include "runtime/cpu/matmul/ordered_matmul_kernels.h"

namespace dynacc::cpu {

const OrderedMatmulKernels kOrderedMatmulKernelsV4 = {
    &BlockedMatmul<float, 64, 6, 4>::Multiply,    &BlockedMatmul<double, 64, 6, 4>::Multiply,
    &BlockedMatmul<uint32_t, 64, 6, 4>::Multiply, &BlockedMatmul<uint64_t, 64, 6, 4>::Multiply,
    &BlockedMatmul<float, 64, 6, 4>::HasNan,      &BlockedMatmul<double, 64, 6, 4>::HasNan};

}  // namespace dynacc::cpu
