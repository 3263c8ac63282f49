// Steps of the nodes that run graphs: Cond and Loop (codegen/ir/control_flow.h).
#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/ir/graph.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/step.h"

namespace dynacc::compile {

// What graphs that nodes run were compiled to.
using CompiledSubgraphs =
    absl::flat_hash_map<const ir::Graph*, std::shared_ptr<const executor::CompiledGraph>>;

// The node's step. `operands` and `outputs`: where its operands lie, and the buffer of each of its
// results, -1 for those that nobody reads. All graphs that it runs are in `subgraphs`.
std::unique_ptr<executor::Step> MakeControlFlowStep(const ir::Node& node,
                                                    std::vector<executor::OperandPlan> operands,
                                                    std::vector<int> outputs,
                                                    const CompiledSubgraphs& subgraphs);

}  // namespace dynacc::compile
