// Compiled for every machine: see blocked_product.h for what may stand here.
#include "runtime/products/blocked_product.h"
#include "runtime/products/product_kernels.h"

namespace dynacc {

const ProductKernels kProductKernelsBase = {
    &BlockedProduct<float, 16, 4, 2>::Multiply,    &BlockedProduct<double, 16, 4, 2>::Multiply,
    &BlockedProduct<uint32_t, 16, 4, 2>::Multiply, &BlockedProduct<uint64_t, 16, 4, 2>::Multiply,
    &BlockedProduct<float, 16, 4, 2>::HasNan,      &BlockedProduct<double, 16, 4, 2>::HasNan};

}  // namespace dynacc
