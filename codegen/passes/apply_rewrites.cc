// The rewrites of extensions (codegen/extensions), each over the whole graph, in the order in which
// they were added.
//
// This process's extensions, but for those that DYNACC_DISABLE_PASSES names; null if there are
// none.
#include "codegen/extensions/node_descriptors.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "runtime/base/options.h"

namespace dynacc::passes {

std::unique_ptr<ir::Graph> ApplyRewrite(const ir::Graph& graph,
                                        const extensions::ExtensionRewrite& rewrite) {
  extensions::NodeDescriptors descriptors(graph);
  return RewriteGraph(
      graph,
      [&](ir::Graph& fresh, const ir::Node& node,
          absl::Span<const ir::Node* const> operands) -> const ir::Node* {
        const auto bindings = rewrite.rewrite.Match(fresh, node, operands);
        if (!bindings) return nullptr;
        if (rewrite.condition != nullptr && !rewrite.condition(descriptors.Of(&node)))
          return nullptr;
        return rewrite.rewrite.Build(fresh, node, operands, *bindings);
      });
}

std::unique_ptr<ir::Graph> ApplyExtensionRewrites(const ir::Graph& graph) {
  if (extensions::TheExtensions().rewrites.empty()) return nullptr;
  std::unique_ptr<ir::Graph> result;
  const extensions::Extensions enabled =
      extensions::Enabled(extensions::TheExtensions(), ProcessOptions().disable_passes);
  for (const extensions::ExtensionRewrite& rewrite : enabled.rewrites) {
    result = ApplyRewrite(result == nullptr ? graph : *result, rewrite);
  }
  return result;
}

}  // namespace dynacc::passes
