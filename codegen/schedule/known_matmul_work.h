// How large a matrix product of a graph is, as far as its sizes are known while it is scheduled.
#pragma once

#include <optional>

#include "codegen/ir/graph.h"
#include "runtime/cpu/onednn/matmul_work.h"

namespace dynacc::schedule {

// That of a Matmul, with what is known of its sizes; no multiplications if they vary.
struct KnownMatmulWork {
  std::optional<double> multiplications;
  bool is_one_row;
};
KnownMatmulWork KnownWork(const ir::Graph& graph, const ir::Node* product);

}  // namespace dynacc::schedule
