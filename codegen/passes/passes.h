// The graph passes: functions from graph to graph (passes.def). A pass changes no element, no flag
// and no memory order of what the program sees; its file says why it may do what it does.
#pragma once

#include <memory>

#include "absl/functional/function_ref.h"
#include "codegen/extensions/extensions.h"
#include "codegen/ir/graph.h"

namespace dynacc::passes {

// Each makes a new graph, and leaves the old one as it is. Null: nothing is to be changed.
#define DYNACC_PASS(function, name, kind, why_here) \
  std::unique_ptr<ir::Graph> function(const ir::Graph& graph);
#include "codegen/passes/passes.def"
#undef DYNACC_PASS

// What some passes are made of.

// The graph without the nodes that neither an output nor a node of `is_root` needs.
std::unique_ptr<ir::Graph> KeepReachable(const ir::Graph& graph,
                                         absl::FunctionRef<bool(const ir::Node&)> is_root);

// The graph after one rewrite of an extension.
std::unique_ptr<ir::Graph> ApplyRewrite(const ir::Graph& graph,
                                        const extensions::ExtensionRewrite& rewrite);

}  // namespace dynacc::passes
