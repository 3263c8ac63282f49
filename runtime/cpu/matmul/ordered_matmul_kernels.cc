#include "runtime/cpu/matmul/ordered_matmul_kernels.h"

#include "runtime/platform/cpu_level.h"

namespace dynacc::cpu {

const OrderedMatmulKernels& BestOrderedMatmulKernels() {
  static const OrderedMatmulKernels& best = platform::ForBestLevel(
      kOrderedMatmulKernelsBase, kOrderedMatmulKernelsV3, kOrderedMatmulKernelsV4);
  return best;
}

}  // namespace dynacc::cpu
