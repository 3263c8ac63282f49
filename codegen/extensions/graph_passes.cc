#include "codegen/extensions/graph_passes.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/extensions/graph_view.h"
#include "codegen/ir/graph_text.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"

namespace dynacc::extensions {
namespace {

std::string TypesOf(const ir::Graph& graph, absl::Span<const ir::Node* const> nodes) {
  std::string text;
  for (const ir::Node* node : nodes) {
    absl::StrAppend(
        &text, node == nullptr ? "none" : ir::PrintType(graph.scalars(), node->dtype, node->shape),
        ", ");
  }
  return text;
}

// The types of all that goes in and comes out.
std::string InterfaceOf(const ir::Graph& graph) {
  return absl::StrCat(TypesOf(graph, graph.inputs()), "-> ", TypesOf(graph, graph.outputs()),
                      "into ", TypesOf(graph, graph.targets()));
}

}  // namespace

std::unique_ptr<ir::Graph> ApplyPass(const ir::Graph& graph, const ExtensionPass& pass) {
  ir::EditableGraph edited(graph);
  GraphView view(edited);
  pass.run(view);
  absl::StatusOr<std::unique_ptr<ir::Graph>> built = edited.Build();
  if (built.ok() && InterfaceOf(**built) != InterfaceOf(graph)) {
    built = absl::InvalidArgumentError("it changes the inputs or outputs of the graph");
  }
  if (built.ok()) return *std::move(built);
  const std::string problem =
      absl::StrCat("pass ", pass.name, " of an extension: ", built.status().message(),
                   "; graphs stay as they are");
  WarnOnce(problem, problem);
  return nullptr;
}

std::unique_ptr<ir::Graph> ApplyPasses(const ir::Graph& graph) {
  if (TheExtensions().passes.empty()) return nullptr;
  std::unique_ptr<ir::Graph> latest;
  const Extensions enabled = Enabled(TheExtensions(), ProcessOptions().disable_passes);
  for (const ExtensionPass& pass : enabled.passes) {
    std::unique_ptr<ir::Graph> made = ApplyPass(latest == nullptr ? graph : *latest, pass);
    if (made != nullptr) latest = std::move(made);
  }
  return latest;
}

}  // namespace dynacc::extensions
