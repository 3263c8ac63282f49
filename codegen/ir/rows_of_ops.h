// Tables with one row an op, in the order of ops.def, checked when they are compiled.
#pragma once

#include <cstddef>
#include <iterator>

#include "runtime/ops/op.h"

namespace dynacc::ir {

struct OpInOrder {
  Op op;
  OpCategory category;
};

inline constexpr OpInOrder kOpsInOrder[] = {
#define DYNACC_OP(name, text, category, traits, dtype_rule, c_expr, numpy, cuda) \
  {Op::k##name, OpCategory::category},
#include "runtime/ops/ops.def"
#undef DYNACC_OP
};

// The rows have the member `op`.
template <typename Rows>
constexpr bool HasARowOfEachOp(const Rows& rows) {
  if (std::size(rows) != std::size(kOpsInOrder)) return false;
  for (size_t i = 0; i < std::size(rows); ++i) {
    if (rows[i].op != kOpsInOrder[i].op) return false;
  }
  return true;
}

}  // namespace dynacc::ir
