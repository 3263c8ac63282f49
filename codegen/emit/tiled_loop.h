// The shape of emitted kernels on a CPU: loops over tiles (prelude/tiles.h, TilePlan).
#pragma once

#include <string>

#include "codegen/emit/dialect.h"
#include "codegen/kernel/kernel.h"

namespace dynacc {

// Appends
//   extern "C" void NAME(const Tile* tiles, int64_t count, const DynaccLoop* loops)
// which does one tile. tiles[k] is operand k's, and after all of them come those of the inputs as
// they lie in memory, for library loops; loops[k] is the library loop of the k-th library step.
void EmitTiledFunction(const Kernel& kernel, const Dialect& dialect, std::string& out);

}  // namespace dynacc
