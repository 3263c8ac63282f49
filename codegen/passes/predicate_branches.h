// What branches can be computed on both sides by a device, and what loops in all rounds
// (predicate_branches.cc).
#pragma once

#include "codegen/ir/graph.h"

namespace dynacc::passes {

// Whether the graph has a branch of a few elementwise operations, or a loop of a few such rounds,
// which is none on a device.
bool HasPredicableBranches(const ir::Graph& graph);

}  // namespace dynacc::passes
