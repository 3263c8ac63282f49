#include "codegen/passes/memory_order.h"

#include <numeric>
#include <vector>

#include "codegen/passes/graph_rewriter.h"

namespace dynacc {

namespace {

// An empty array into which the parts are stored.
const Node* StoreParts(Graph& graph, const Node& concat, absl::Span<const Node* const> parts) {
  ScalarProgram& scalars = graph.scalars();
  const size_t axis = static_cast<size_t>(concat.attrs.ints[0]);
  std::vector<int64_t> axes(concat.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::vector<ScalarId> start(concat.shape.size(), scalars.Int(0));
  const std::vector<ScalarId> step(concat.shape.size(), scalars.Int(1));
  const Node* result = graph.Empty(concat.dtype, concat.shape);
  for (const Node* part : parts) {
    result = graph.Store(result, part, axes, start, step);
    start[axis] = scalars.Apply(ScalarOp::kAdd, start[axis], part->shape[axis]);
  }
  return result;
}

}  // namespace

std::unique_ptr<Graph> WithoutMemoryOrder(const Graph& graph) {
  return RewriteGraph(
      graph,
      [](Graph& target, const Node& node, absl::Span<const Node* const> operands) -> const Node* {
        if (node.op == Op::kConcat) return StoreParts(target, node, operands);
        const bool only_order =
            node.op == Op::kKeepOrder || node.op == Op::kCOrder || node.op == Op::kUpdate;
        return only_order ? operands[0] : nullptr;
      });
}

}  // namespace dynacc
