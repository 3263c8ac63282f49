// Tables with one row an op, in the order of ops.def, checked when they are compiled.
#pragma once

#include <cstddef>
#include <iterator>

#include "runtime/ops/op.h"

namespace dynacc::ir {

inline constexpr Op kOpsInOrder[] = {
#define DYNACC_OP(name, text, category, traits, dtype_rule, c_expr, numpy, cuda) Op::k##name,
#include "runtime/ops/ops.def"
#undef DYNACC_OP
};

// `Row` has the member `op`.
template <typename Row, size_t N>
constexpr bool HasARowOfEachOp(const Row (&rows)[N]) {
  if (N != std::size(kOpsInOrder)) return false;
  for (size_t i = 0; i < N; ++i) {
    if (rows[i].op != kOpsInOrder[i]) return false;
  }
  return true;
}

}  // namespace dynacc::ir
