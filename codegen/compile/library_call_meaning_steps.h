// Steps of our own in the place of library calls whose meaning is known
// (runtime/executor/library_call_meaning.h): scans, argmax and argmin, rows by indices or by a
// mask, operators on single ints, and, on a device, gathers and scatters.
#pragma once

#include <memory>
#include <vector>

#include "codegen/ir/graph.h"
#include "codegen/targets/device_module.h"
#include "runtime/executor/step.h"

namespace dynacc::compile {

// An Extern as the plan has it.
struct PlannedLibraryCall {
  const ir::Node& node;
  const std::vector<executor::OperandPlan>& operands;
  int output;                           // buffer
  const targets::DeviceModule* device;  // that the plan is made for; null: the host
};

// A step that does what the call means, and has `call` at hand for operands that it cannot do;
// `call` itself, which makes the call, if no step does.
std::unique_ptr<executor::Step> FollowMeaning(const PlannedLibraryCall& planned,
                                              std::unique_ptr<executor::Step> call);

}  // namespace dynacc::compile
