// Copies in C order, which the passes leave to those that read memory.
#pragma once

#include "codegen/ir/graph.h"

namespace dynacc::schedule {

// What `node` is a copy of: a Store of all of it into an empty array; else `node` itself.
const ir::Node* WithoutCopy(const ir::Graph& graph, const ir::Node* node);

}  // namespace dynacc::schedule
