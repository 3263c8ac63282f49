// The step before the passes: a copy of a traced graph without the nodes that only say how arrays
// lie in memory, and with the parts of a Concat stored into one array. Origins tell which of the
// traced nodes each is, for the layout builder.
#pragma once

#include <memory>

#include "codegen/graph/graph.h"

namespace dynacc {

std::unique_ptr<Graph> WithoutMemoryOrder(const Graph& graph);

}  // namespace dynacc
