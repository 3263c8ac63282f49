// From a schedule and its compiled kernels to the executor's plan.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/compile/control_flow_steps.h"
#include "codegen/emit/lowering.h"
#include "codegen/ir/graph.h"
#include "codegen/schedule/schedule.h"
#include "codegen/targets/device_module.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/kernel/compiled_kernel.h"

namespace dynacc::compile {

// `traced`: what `graph` was made of, which says where NumPy has each array. `lowered` has one
// entry a group; `kernels` one for each entry that has steps, in order. UNIMPLEMENTED if a node is
// beyond the executor: rank over kMaxRank, a reduction or product without library loop.
// `subgraphs`: what the graphs that nodes run were compiled to. `device`: what has the groups'
// kernels on a device, or null; the steps that it makes take the places of those for the host.
absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> BuildPlan(
    const ir::Graph& graph, const ir::Graph& traced, const schedule::Schedule& schedule,
    std::vector<emit::LoweredKernel> lowered,
    std::vector<std::shared_ptr<const kernel::CompiledKernel>> kernels,
    const CompiledSubgraphs& subgraphs, std::string description,
    std::shared_ptr<const targets::DeviceModule> device = nullptr);

}  // namespace dynacc::compile
