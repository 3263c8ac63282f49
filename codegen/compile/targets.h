// The targets that graphs can be compiled for (targets.def).
#pragma once

#include "absl/strings/string_view.h"
#include "codegen/targets/target.h"

namespace dynacc {

// The target of that name, or null.
const Target* FindTarget(absl::string_view name);

}  // namespace dynacc
