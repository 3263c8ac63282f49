// The null target: kernels that do nothing, to test and time what lies around them.
#pragma once

#include "codegen/targets/target.h"

namespace dynacc {

const Target* NullTarget();

}  // namespace dynacc
