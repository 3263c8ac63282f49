// Constant folding: an emitted operation on numbers that are all known becomes that number.
//
// Only where the result is exact: emitted ops (their bits are IEEE's, no library's), no flag
// raised, and a result that the ScalarProgram can hold (not a u64 beyond 2^63). A Reshape of a Full
// becomes a Full.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc {

std::unique_ptr<Graph> FoldConstants(const Graph& graph);

}  // namespace dynacc
