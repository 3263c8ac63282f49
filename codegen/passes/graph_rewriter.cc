#include "codegen/passes/graph_rewriter.h"

#include <vector>

#include "boost/container/small_vector.hpp"
#include "runtime/base/check.h"

namespace dynacc::passes {
namespace {

// Copies `graph`; `make` gives the new node for an old one and its new operands, or null to drop
// it.
template <typename MakeNode>
std::unique_ptr<ir::Graph> Copy(const ir::Graph& graph, MakeNode make) {
  auto result = std::make_unique<ir::Graph>();
  result->scalars() = graph.scalars();
  std::vector<const ir::Node*> made(graph.nodes().size());
  boost::container::small_vector<const ir::Node*, 4> operands;
  for (const ir::Node* node : graph.nodes()) {
    operands.clear();
    for (const ir::Node* operand : node->operands) operands.push_back(made[operand->id]);
    result->SetLocation(node->location.file, node->location.line);
    result->SetOrigin(node->origin);
    result->SetReported(graph.ReportedBy(node));
    made[node->id] = make(*result, *node, operands);
  }
  result->SetOrigin(-1);
  result->SetReported(kAllFpFlags);
  for (const ScalarId condition : graph.conditions()) result->AddCondition(condition);
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const ir::Node* const output = made[graph.outputs()[i]->id];
    const ir::Node* const target = graph.targets()[i];
    DYNACC_CHECK(output != nullptr) << "a pass dropped an output";
    result->AddOutput(output, target == nullptr ? nullptr : made[target->id]);
  }
  return result;
}

const ir::Node* Keep(ir::Graph& graph, const ir::Node& node,
                     absl::Span<const ir::Node* const> operands) {
  return graph.Make(node.op, node.dtype, node.shape, operands, node.attrs);
}

}  // namespace

std::unique_ptr<ir::Graph> RewriteGraph(const ir::Graph& graph, RewriteRule rule) {
  return Copy(graph, [&](ir::Graph& target, const ir::Node& node,
                         absl::Span<const ir::Node* const> operands) {
    const ir::Node* const replacement = rule(target, node, operands);
    return replacement != nullptr ? replacement : Keep(target, node, operands);
  });
}

std::unique_ptr<ir::Graph> RewriteKept(const ir::Graph& graph,
                                       absl::FunctionRef<bool(const ir::Node&)> keep,
                                       RewriteRule rule) {
  return Copy(graph,
              [&](ir::Graph& target, const ir::Node& node,
                  absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                if (node.op != Op::kInput && !keep(node)) return nullptr;
                const ir::Node* const replacement = rule(target, node, operands);
                return replacement != nullptr ? replacement : Keep(target, node, operands);
              });
}

std::unique_ptr<ir::Graph> FilterGraph(const ir::Graph& graph,
                                       absl::FunctionRef<bool(const ir::Node&)> keep) {
  return Copy(graph,
              [&](ir::Graph& target, const ir::Node& node,
                  absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                if (node.op != Op::kInput && !keep(node)) return nullptr;
                return Keep(target, node, operands);
              });
}

}  // namespace dynacc::passes
