#include "codegen/passes/unify_sizes.h"

#include "codegen/ir/equal_sizes.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/graph_rewriter.h"

namespace dynacc {

std::unique_ptr<Graph> UnifySizes(const Graph& graph) {
  const EqualSizes equal(graph);
  return RewriteGraph(graph,
                      [&](Graph& target, const Node& node, absl::Span<const Node* const> operands) {
                        ShapeVector shape;
                        for (const ScalarId size : node.shape) {
                          shape.push_back(equal.OldestOf(size));
                        }
                        return target.Make(node.op, node.dtype, shape, operands, node.attrs);
                      });
}

}  // namespace dynacc
