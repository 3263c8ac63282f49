// Compiled for every machine: see blocked_matmul.h for what may stand here.
#include "runtime/cpu/matmul/blocked_matmul.h"
#include "runtime/cpu/matmul/ordered_matmul_kernels.h"

namespace dynacc::cpu {

const OrderedMatmulKernels kOrderedMatmulKernelsBase = {
    &BlockedMatmul<float, 16, 4, 2>::Multiply,    &BlockedMatmul<double, 16, 4, 2>::Multiply,
    &BlockedMatmul<uint32_t, 16, 4, 2>::Multiply, &BlockedMatmul<uint64_t, 16, 4, 2>::Multiply,
    &BlockedMatmul<float, 16, 4, 2>::HasNan,      &BlockedMatmul<double, 16, 4, 2>::HasNan};

}  // namespace dynacc::cpu
