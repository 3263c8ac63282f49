// The rewrites of extensions (codegen/extensions), each over the whole graph, in the order in which
// they were added.
#pragma once

#include <memory>

#include "codegen/extensions/extensions.h"
#include "codegen/ir/graph.h"

namespace dynacc {

// This process's extensions, but for those that DYNACC_DISABLE_PASSES names; null if there are
// none.
std::unique_ptr<Graph> ApplyExtensionRewrites(const Graph& graph);

// One rewrite.
std::unique_ptr<Graph> ApplyRewrite(const Graph& graph, const ExtensionRewrite& rewrite);

}  // namespace dynacc
