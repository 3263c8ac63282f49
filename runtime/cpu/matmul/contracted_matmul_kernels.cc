#include "runtime/cpu/matmul/contracted_matmul_kernels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc::cpu {

OrderedMatmulKernels::Multiply BestContractedMatmul() {
  static const OrderedMatmulKernels::Multiply best =
      platform::ForBestLevel(kContractedMatmulBase, kContractedMatmulV3, kContractedMatmulV4);
  return best;
}

}  // namespace dynacc::cpu
