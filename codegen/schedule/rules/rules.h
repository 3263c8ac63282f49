// The fusion rules: each merges groups of a FusionState as long as it finds some to merge.
#pragma once

#include "codegen/schedule/fusion.h"

namespace dynacc {

#define DYNACC_FUSION_RULE(function, name, doc) void function(FusionState& state);
#include "codegen/schedule/rules/rules.def"
#undef DYNACC_FUSION_RULE

}  // namespace dynacc
