// OrderedMatmul: the array library's matmul loop, several times as fast, where its sums are in
// order.
//
// The bits of a matrix product depend on the BLAS behind NumPy: how it splits sums over registers
// and cores, and whether it contracts a product and a sum. Netlib's reference BLAS, which Debian
// installs with NumPy, does nothing of it: each element is the sum of its products from first to
// last. Those bits OrderedMatmulKernels give, ten to twenty times as fast. Whether the library at
// hand is of that kind is not asked of its name but of its results: before the first product,
// products of many shapes and layouts are computed by both and compared bit by bit. A library that
// splits sums or contracts gives other bits in nearly every element of them; then, and where a
// probe finds anything else, the library's own loop is called as before. Integers wrap around, so
// their order does not matter.
#pragma once

#include "runtime/cpu/matmul/ordered_matmul_kernels.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

// A loop with the arguments and the results of `library`, NumPy's matmul loop for `dtype`, to be
// called in its place; `library` itself for dtypes without kernels. One for each dtype in a
// process; a later call for the same dtype replaces the library of the first.
kernel::LibraryLoop OrderedMatmul(DType dtype, kernel::LibraryLoop library);

// A loop of the same arguments whose sums are always in order, with no library behind it; empty for
// dtypes that are no real numbers of 32 or 64 bits.
kernel::LibraryLoop InOrderMatmul(DType dtype);

// The same for float32 under fast_math, by BestContractedMatmul: on machines that have the
// operation each product and its sum are rounded once. Empty for other dtypes.
kernel::LibraryLoop ContractedMatmul(DType dtype);

// Whether products of `dtype` are in order, whatever the operands' memory: true of int32, uint32,
// int64 and uint64, of floats if the library's are. Asks the library at the first call.
bool ProductsAreInOrder(DType dtype);

// What computes some rows of a product without the others, on the calling thread.
struct RowMatmuls {
  OrderedMatmulKernels::Multiply multiply;
  OrderedMatmulKernels::HasNan has_nan;  // null: there are none

  // `p`: some rows; `scratch` as for OrderedMatmulKernels::Multiply. False if the library has to
  // compute the whole product, as it has NaNs: their signs are its own.
  bool Multiply(const Product& p, char* scratch) const {
    multiply(p, scratch);
    return has_nan == nullptr || !has_nan(p);
  }
};

// Whether the rows of a product of `rows` x `inner` x `columns`, at `places` of the leading axes,
// may be computed so in place of `loop`: not if that is none of OrderedMatmul's, or sums in another
// order, nor while products have been too few to ask the library.
bool CanMultiplyRows(const kernel::LibraryLoop& loop, int64_t places, int64_t rows, int64_t inner,
                     int64_t columns);
RowMatmuls RowMatmulsOf(const kernel::LibraryLoop& loop);  // where they may

}  // namespace dynacc::cpu
