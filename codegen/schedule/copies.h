// Copies in C order, which the passes leave to those that read memory.
#pragma once

#include "codegen/ir/graph.h"

namespace dynacc {

// What `node` is a copy of: a Store of all of it into an empty array; else `node` itself.
const Node* WithoutCopy(const Graph& graph, const Node* node);

}  // namespace dynacc
