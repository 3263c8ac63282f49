// Steps of the nodes that run graphs: Cond and Loop (codegen/ir/control_flow.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "codegen/compile/compiler.h"
#include "codegen/ir/graph.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/step.h"

namespace dynacc::compile {

// What graphs that nodes run were compiled to.
using CompiledSubgraphs =
    absl::flat_hash_map<const ir::Graph*, std::shared_ptr<const executor::CompiledGraph>>;

// Compiles a graph that a node runs.
using SubgraphCompiler =
    absl::FunctionRef<absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>>(
        const ir::Graph& subgraph, const CompileOptions& options)>;

// All graphs that the nodes of `graph` run, compiled for the host: the steps of control flow are
// the host's on every target.
absl::StatusOr<CompiledSubgraphs> CompileSubgraphs(const ir::Graph& graph,
                                                   const CompileOptions& options,
                                                   SubgraphCompiler compile);

// What each of them was compiled to, as text; nothing for a graph without control flow.
std::string DescribeSubgraphs(const ir::Graph& graph, const CompiledSubgraphs& subgraphs);

// The node's step. `operands` and `outputs`: where its operands lie, and the buffer of each of its
// results, -1 for those that nobody reads. All graphs that it runs are in `subgraphs`.
std::unique_ptr<executor::Step> MakeControlFlowStep(const ir::Node& node,
                                                    std::vector<executor::OperandPlan> operands,
                                                    std::vector<int> outputs,
                                                    const CompiledSubgraphs& subgraphs);

}  // namespace dynacc::compile
