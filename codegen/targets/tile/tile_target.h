// The tile target: kernels as calls of library inner loops on tiles; needs no compiler.
#pragma once

#include "codegen/targets/target.h"

namespace dynacc::tile {

const targets::Target* TileTarget();

}  // namespace dynacc::tile
