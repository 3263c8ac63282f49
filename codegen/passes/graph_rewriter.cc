#include "codegen/passes/graph_rewriter.h"

#include <vector>

#include "boost/container/small_vector.hpp"
#include "runtime/base/check.h"

namespace dynacc::passes {
namespace {

// Copies `graph`; `make` gives the new node for an old one and its new operands, or null to drop
// it.
template <typename MakeNode>
std::unique_ptr<ir::Graph> Copy(const ir::Graph& graph, absl::Span<const ir::Node* const> order,
                                MakeNode make) {
  auto result = std::make_unique<ir::Graph>();
  result->scalars() = graph.scalars();
  std::vector<const ir::Node*> made(graph.nodes().size());
  boost::container::small_vector<const ir::Node*, 4> operands;
  for (const ir::Node* node : order) {
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

bool ReadsElements(const ir::Node& reader, const ir::Node* read) {
  if (reader.op == Op::kStore) return reader.operands[0] != read;
  return IsElementwise(reader.op) || reader.op == Op::kCast || reader.op == Op::kWhere;
}

}  // namespace

std::unique_ptr<ir::Graph> RewriteGraph(const ir::Graph& graph, RewriteRule rule) {
  return RewriteGraph(graph, graph.nodes(), rule);
}

std::unique_ptr<ir::Graph> RewriteGraph(const ir::Graph& graph,
                                        absl::Span<const ir::Node* const> order, RewriteRule rule) {
  return Copy(
      graph, order,
      [&](ir::Graph& target, const ir::Node& node, absl::Span<const ir::Node* const> operands) {
        const ir::Node* const replacement = rule(target, node, operands);
        return replacement != nullptr ? replacement : Keep(target, node, operands);
      });
}

std::vector<int> CountUses(const ir::Graph& graph) {
  std::vector<int> uses(graph.nodes().size());
  for (const ir::Node* output : graph.outputs()) ++uses[output->id];
  for (const ir::Node* node : graph.nodes()) {
    for (const ir::Node* operand : node->operands) ++uses[operand->id];
  }
  return uses;
}

std::vector<bool> FindReadByElements(const ir::Graph& graph) {
  std::vector<bool> found(graph.nodes().size(), true);
  for (const ir::Node* output : graph.outputs()) found[output->id] = false;
  for (const ir::Node* node : graph.nodes()) {
    for (const ir::Node* operand : node->operands) {
      if (!ReadsElements(*node, operand)) found[operand->id] = false;
    }
  }
  return found;
}

std::unique_ptr<ir::Graph> RewriteKept(const ir::Graph& graph,
                                       absl::FunctionRef<bool(const ir::Node&)> keep,
                                       RewriteRule rule) {
  return Copy(graph, graph.nodes(),
              [&](ir::Graph& target, const ir::Node& node,
                  absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                if (node.op != Op::kInput && !keep(node)) return nullptr;
                const ir::Node* const replacement = rule(target, node, operands);
                return replacement != nullptr ? replacement : Keep(target, node, operands);
              });
}

std::unique_ptr<ir::Graph> FilterGraph(const ir::Graph& graph,
                                       absl::FunctionRef<bool(const ir::Node&)> keep) {
  return Copy(graph, graph.nodes(),
              [&](ir::Graph& target, const ir::Node& node,
                  absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                if (node.op != Op::kInput && !keep(node)) return nullptr;
                return Keep(target, node, operands);
              });
}

}  // namespace dynacc::passes
