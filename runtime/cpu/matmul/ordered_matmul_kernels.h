// OrderedMatmulKernels: matrix products in order, for each width of vector registers.
//
// Each element of a result is the sum of its products from the first to the last, starting at +0:
// every product and every sum is rounded by itself (integers wrap around). That order does not
// depend on how the work is laid out: the bits are those of the plainest triple loop, and so are
// the floating-point flags, as no operation is done that the loop would not do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cpu/matmul/product.h"

namespace dynacc::cpu {

struct OrderedMatmulKernels {
  // Computes `p`, of at least one row, column and factor. `scratch`: kProductScratchBytes at a
  // multiple of 64; not used for a product of one row, one column or little (IsTiny), but for one
  // with runs.
  using Multiply = void (*)(const Product& p, char* scratch);
  Multiply of_floats;
  Multiply of_doubles;
  Multiply of_uint32;
  Multiply of_uint64;

  // Whether there are NaNs in the result of `p`.
  using HasNan = bool (*)(const Product& p);
  HasNan nan_in_floats;
  HasNan nan_in_doubles;
};

inline constexpr size_t kProductScratchBytes = size_t{3} << 19;

// Compiled for every machine, and for levels of x86-64 with wider registers.
extern const OrderedMatmulKernels kOrderedMatmulKernelsBase;
extern const OrderedMatmulKernels kOrderedMatmulKernelsV3;
extern const OrderedMatmulKernels kOrderedMatmulKernelsV4;

// The widest that this machine has and DYNACC_CPU allows.
const OrderedMatmulKernels& BestOrderedMatmulKernels();

}  // namespace dynacc::cpu
