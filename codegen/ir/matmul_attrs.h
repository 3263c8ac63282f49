// The attribute of a Matmul: attrs.ints holds one number of these bits, or nothing for none.
#pragma once

#include <cstdint>

#include "codegen/ir/graph.h"

namespace dynacc::ir {

// Of two arrays made apart, which even if equal are not the two faces of one, whose product BLAS
// computes in another way.
inline constexpr int64_t kMatmulApart = 1;
// The sums may be added in any order, and a product and a sum be rounded once: the operands are
// tensors of our own, whose bits are nobody else's.
inline constexpr int64_t kMatmulAnyOrder = 2;
// The operands are tensors of bfloat16, cast for this product: it may take them as they were.
inline constexpr int64_t kMatmulLowPrecision = 4;
// If the left operand are windows of an array, it may be computed as a convolution.
inline constexpr int64_t kMatmulWindows = 8;

inline bool MatmulHas(const Node* node, int64_t bit) {
  return !node->attrs.ints.empty() && (node->attrs.ints[0] & bit) != 0;
}

}  // namespace dynacc::ir
