// Compiled for x86-64-v3 (CMakeLists.txt): see blocked_product.h for what may stand here.
#include "runtime/products/blocked_product.h"
#include "runtime/products/product_kernels.h"

namespace dynacc {

const ProductKernels kProductKernelsV3 = {
    &BlockedProduct<float, 32, 6, 2>::Multiply,    &BlockedProduct<double, 32, 6, 2>::Multiply,
    &BlockedProduct<uint32_t, 32, 6, 2>::Multiply, &BlockedProduct<uint64_t, 32, 6, 2>::Multiply,
    &BlockedProduct<float, 32, 6, 2>::HasNan,      &BlockedProduct<double, 32, 6, 2>::HasNan};

}  // namespace dynacc
