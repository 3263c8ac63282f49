// Which nodes of a graph are computed from its inputs, and which from numbers alone.
#pragma once

#include <vector>

#include "codegen/ir/graph.h"

namespace dynacc::ir {

// For each node, by its id: whether an Input takes part in its value.
std::vector<bool> DependOnInputs(const Graph& graph);

}  // namespace dynacc::ir
