// The rewrites of extensions (codegen/extensions), each over the whole graph, in the order in which
// they were added.
//
// This process's extensions, but for those that DYNACC_DISABLE_PASSES names; null if there are
// none.
#include "codegen/extensions/node_descriptors.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "runtime/base/options.h"

namespace dynacc {

std::unique_ptr<Graph> ApplyRewrite(const Graph& graph, const ExtensionRewrite& rewrite) {
  NodeDescriptors descriptors(graph);
  return RewriteGraph(
      graph,
      [&](Graph& fresh, const Node& node, absl::Span<const Node* const> operands) -> const Node* {
        Pattern::Bindings bindings;
        if (!rewrite.pattern.Fits(fresh, node.op, operands, bindings)) return nullptr;
        if (rewrite.condition != nullptr && !rewrite.condition(descriptors.Of(&node)))
          return nullptr;
        const Node* const built = rewrite.replacement.Build(fresh, *operands.back(), bindings);
        const bool is_same =
            built != nullptr && built->dtype == node.dtype && built->shape == node.shape;
        return is_same ? built : nullptr;
      });
}

std::unique_ptr<Graph> ApplyExtensionRewrites(const Graph& graph) {
  if (TheExtensions().rewrites.empty()) return nullptr;
  std::unique_ptr<Graph> result;
  const Extensions enabled = Enabled(TheExtensions(), ProcessOptions().disable_passes);
  for (const ExtensionRewrite& rewrite : enabled.rewrites) {
    result = ApplyRewrite(result == nullptr ? graph : *result, rewrite);
  }
  return result;
}

}  // namespace dynacc
