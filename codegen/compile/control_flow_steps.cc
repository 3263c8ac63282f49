#include "codegen/compile/control_flow_steps.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/ir/control_flow.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/control_flow_steps.h"

namespace dynacc::compile {

absl::StatusOr<CompiledSubgraphs> CompileSubgraphs(const ir::Graph& graph,
                                                   const CompileOptions& options,
                                                   SubgraphCompiler compile) {
  CompileOptions for_host = options;
  if (TraitsOf(options.target).has_device) for_host.target = "cpu";
  for_host.placement = {};
  CompiledSubgraphs subgraphs;
  for (const ir::Node* node : graph.nodes()) {
    for (const ir::Graph* subgraph : node->attrs.subgraphs) {
      if (subgraphs.contains(subgraph)) continue;
      DYNACC_ASSIGN_OR_RETURN(subgraphs[subgraph], compile(*subgraph, for_host));
    }
  }
  return subgraphs;
}

std::string DescribeSubgraphs(const ir::Graph& graph, const CompiledSubgraphs& subgraphs) {
  std::string text;
  for (const ir::Node* node : graph.nodes()) {
    for (const ir::Graph* subgraph : node->attrs.subgraphs) {
      absl::StrAppend(&text, "\n%", node->id, " ", Info(node->op).text, " runs:\n",
                      subgraphs.at(subgraph)->Describe());
    }
  }
  return text;
}

std::unique_ptr<executor::Step> MakeControlFlowStep(const ir::Node& node,
                                                    std::vector<executor::OperandPlan> operands,
                                                    std::vector<int> outputs,
                                                    const CompiledSubgraphs& subgraphs) {
  std::vector<executor::SubgraphPlan> graphs;
  for (size_t i = 0; i < node.attrs.subgraphs.size(); ++i) {
    const ir::Graph* const graph = node.attrs.subgraphs[i];
    const absl::Span<const ScalarId> numbers = ir::NumbersFor(node, i);
    graphs.push_back({subgraphs.at(graph), graph->scalars(), {numbers.begin(), numbers.end()}});
  }
  if (node.op == Op::kCond) {
    executor::OperandPlan condition = std::move(operands.front());
    operands.erase(operands.begin());
    return std::make_unique<executor::CondStep>(std::move(condition), std::move(operands),
                                                std::move(outputs), std::move(graphs));
  }
  const ir::LoopAttrs loop = *ir::LoopAttrsOf(node.attrs);
  executor::LoopPlan plan;
  plan.counted = loop.counted;
  if (loop.counted) {
    plan.rounds = std::move(operands.front());
    operands.erase(operands.begin());
  }
  plan.operands = std::move(operands);
  plan.num_constants = static_cast<size_t>(loop.constants);
  plan.num_carries = static_cast<size_t>(loop.carries);
  plan.length = loop.length;
  plan.reverse = loop.reverse;
  plan.outputs = std::move(outputs);
  plan.graphs = std::move(graphs);
  return std::make_unique<executor::LoopStep>(std::move(plan));
}

}  // namespace dynacc::compile
