// Unifying sizes: where two sizes are the same number in every run (a condition of the graph says
// s0 == s1), all shapes are written with the older of the two.
//
// When a program adds arrays of sizes that vary, each has sizes of its own; that they agree is
// known once they meet. What was computed of them before that is then of the one shape, too: no
// views are between, and it is computed in the same kernel.
#include "codegen/ir/equal_sizes.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"

namespace dynacc::passes {

std::unique_ptr<ir::Graph> UnifySizes(const ir::Graph& graph) {
  const ir::EqualSizes equal(graph);
  return RewriteGraph(graph, [&](ir::Graph& target, const ir::Node& node,
                                 absl::Span<const ir::Node* const> operands) {
    ir::ShapeVector shape;
    for (const ScalarId size : node.shape) {
      shape.push_back(equal.OldestOf(size));
    }
    return target.Make(node.op, node.dtype, shape, operands, node.attrs);
  });
}

}  // namespace dynacc::passes
