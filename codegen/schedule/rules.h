// The fusion rules: each merges groups of a FusionState, or has them compute something again, as
// long as it finds some.
#pragma once

#include "codegen/schedule/fusion_state.h"

namespace dynacc::schedule {

#define DYNACC_FUSION_RULE(function, name, doc) void function(FusionState& state);
#include "codegen/schedule/rules.def"
#undef DYNACC_FUSION_RULE

}  // namespace dynacc::schedule
