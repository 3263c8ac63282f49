// Compiled for x86-64-v4 (CMakeLists.txt): see blocked_product.h for what may stand here.
#include "runtime/products/blocked_product.h"
#include "runtime/products/product_kernels.h"

namespace dynacc {

const ProductKernels kProductKernelsV4 = {
    &BlockedProduct<float, 64, 6, 4>::Multiply,    &BlockedProduct<double, 64, 6, 4>::Multiply,
    &BlockedProduct<uint32_t, 64, 6, 4>::Multiply, &BlockedProduct<uint64_t, 64, 6, 4>::Multiply,
    &BlockedProduct<float, 64, 6, 4>::HasNan,      &BlockedProduct<double, 64, 6, 4>::HasNan};

}  // namespace dynacc
