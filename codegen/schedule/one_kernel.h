// Whether two groups can be one kernel.
#pragma once

#include <string>

#include "codegen/schedule/fusion_state.h"

namespace dynacc::schedule {

// Why the elementwise group `producer` cannot become part of group `consumer`, which reads it: one
// of elementwise nodes, or the reduction of its value; "" if it can.
std::string WhyNotInto(const FusionState& state, int producer, int consumer);

}  // namespace dynacc::schedule
