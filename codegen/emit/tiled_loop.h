// The shape of emitted kernels on a CPU: loops over tiles (prelude/tiles.h, TilePlan).
#pragma once

#include <string>

#include "codegen/emit/dialect.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::emit {

// Appends
//   extern "C" void NAME(const Tile* tiles, int64_t count, const DynaccLoop* loops)
// which does one tile. tiles[k] is operand k's, and after all of them come those of the inputs as
// they lie in memory, for library loops; loops[k] is the library loop of the k-th library step.
// And, if the kernel CanFold,
//   extern "C" void NAME_fold(const Tile* tiles, const FoldBlock* blocks, int64_t count,
//                             char* sums)
// which does CompiledKernel::Fold for one row.
void EmitTiledFunction(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out);

// Whether it folds and has all terms in registers: what a library computes lies in memory.
bool CanFold(const kernel::Kernel& kernel);

}  // namespace dynacc::emit
