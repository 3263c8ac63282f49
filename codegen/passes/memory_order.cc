#include "codegen/passes/memory_order.h"

#include "codegen/passes/graph_rewriter.h"

namespace dynacc {

std::unique_ptr<Graph> WithoutMemoryOrder(const Graph& graph) {
  return RewriteGraph(
      graph, [](Graph&, const Node& node, absl::Span<const Node* const> operands) -> const Node* {
        const bool only_order =
            node.op == Op::kKeepOrder || node.op == Op::kCOrder || node.op == Op::kUpdate;
        return only_order ? operands[0] : nullptr;
      });
}

}  // namespace dynacc
