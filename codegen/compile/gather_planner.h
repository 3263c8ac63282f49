// A library call that is a gather or a scatter (GatherCall, ScatterCall), as a device's step is
// told of it.
#pragma once

#include <optional>
#include <vector>

#include "codegen/ir/graph.h"
#include "codegen/targets/device_module.h"

namespace dynacc::compile {

// The plan of `node`, an Extern whose operands are `operands` and whose result is the buffer
// `output`; nothing if it is no gather, or one of a kind that no device does.
std::optional<targets::GatherPlan> PlanGather(const ir::Node* node,
                                              const std::vector<executor::OperandPlan>& operands,
                                              int output);

// The same of a call that is a scatter (ScatterCall).
std::optional<targets::ScatterPlan> PlanScatter(const ir::Node* node,
                                                const std::vector<executor::OperandPlan>& operands,
                                                int output);

}  // namespace dynacc::compile
