#include "runtime/products/product_kernels.h"

#include "runtime/device/cpu_level.h"

namespace dynacc {

const ProductKernels& BestProductKernels() {
  static const ProductKernels& best =
      ForBestLevel(kProductKernelsBase, kProductKernelsV3, kProductKernelsV4);
  return best;
}

}  // namespace dynacc
