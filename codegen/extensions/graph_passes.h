// The passes that extensions added (Registry::AddPass), over graphs as they were captured.
#pragma once

#include <memory>

#include "codegen/extensions/extensions.h"
#include "codegen/ir/graph.h"

namespace dynacc::extensions {

// What this process's passes, but for those that DYNACC_DISABLE_PASSES names, make of the graph;
// null: nothing. Each must leave a legal graph with inputs and outputs of the same types. One that
// does not is told of on the log, and its graph is forgotten.
std::unique_ptr<ir::Graph> ApplyPasses(const ir::Graph& graph);

// The same of one pass; null, with a warning, where it makes no such graph.
std::unique_ptr<ir::Graph> ApplyPass(const ir::Graph& graph, const ExtensionPass& pass);

}  // namespace dynacc::extensions
