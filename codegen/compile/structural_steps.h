// Steps of the ops that a library call may compute (codegen/ir/graph.h): scans, argmax and argmin,
// gathers and scatters, rows by a mask, operators on single ints, and library calls themselves.
#pragma once

#include <memory>
#include <vector>

#include "codegen/ir/graph.h"
#include "codegen/targets/device_module.h"
#include "runtime/executor/step.h"

namespace dynacc::compile {

// Such a node as the plan has it.
struct PlannedNode {
  const ir::Graph& graph;
  const ir::Node& node;
  const std::vector<executor::OperandPlan>& operands;
  int output;                           // buffer
  bool read_on;                         // other steps read the result (LibraryCallStep)
  const targets::DeviceModule* device;  // that the plan is made for; null: the host
};

// The fastest step for it: a device's, or one by loops of our own. Where that meets operands that
// it cannot do, and where there is none, the node's call is made, or without one the host goes
// element by element. Errors: UNIMPLEMENTED for a Mean without a call, which a pass takes away.
absl::StatusOr<std::unique_ptr<executor::Step>> MakeStructuralStep(const PlannedNode& planned);

}  // namespace dynacc::compile
