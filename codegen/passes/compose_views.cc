#include "codegen/passes/compose_views.h"

#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc {

std::unique_ptr<Graph> ComposeViews(const Graph& graph) {
  return RewriteGraph(
      graph,
      [](Graph& target, const Node& node, absl::Span<const Node* const> operands) -> const Node* {
        if (node.op == Op::kView) return MakeView(target, operands[0], MapOf(node));
        if (node.op == Op::kStore) {
          return MakeStore(target, operands[0], operands[1], MapOf(node));
        }
        if (node.op == Op::kReshape && operands[0]->shape == node.shape) return operands[0];
        if (node.op == Op::kCast && operands[0]->dtype == node.dtype) return operands[0];
        return nullptr;
      });
}

}  // namespace dynacc
