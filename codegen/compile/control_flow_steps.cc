#include "codegen/compile/control_flow_steps.h"

#include <utility>

#include "codegen/ir/control_flow.h"
#include "runtime/executor/control_flow_steps.h"

namespace dynacc::compile {

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
