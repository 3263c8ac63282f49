// Dead code: drops nodes that no output needs.
//
// A node that may raise a flag or an error (MayRaise) stays, with all that it needs: NumPy would
// have warned. The scheduler computes such a node and discards the result.
//
#include <vector>

#include "codegen/ir/node_rules.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"

namespace dynacc::passes {

std::unique_ptr<ir::Graph> EliminateDeadCode(const ir::Graph& graph) {
  return KeepReachable(graph, ir::MayRaise);
}

std::unique_ptr<ir::Graph> KeepReachable(const ir::Graph& graph,
                                         absl::FunctionRef<bool(const ir::Node&)> is_root) {
  std::vector<bool> needed(graph.nodes().size());
  for (const ir::Node* output : graph.outputs()) needed[output->id] = true;
  for (auto it = graph.nodes().rbegin(); it != graph.nodes().rend(); ++it) {
    const ir::Node& node = **it;
    needed[node.id] = needed[node.id] || is_root(node);
    if (!needed[node.id]) continue;
    for (const ir::Node* operand : node.operands) needed[operand->id] = true;
  }
  return FilterGraph(graph, [&](const ir::Node& node) { return bool{needed[node.id]}; });
}

}  // namespace dynacc::passes
