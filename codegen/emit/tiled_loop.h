// The shape of emitted kernels on a CPU: loops over tiles (prelude/tiles.h, TilePlan).
#pragma once

#include <string>

#include "codegen/emit/dialect.h"
#include "codegen/kernel/kernel.h"

namespace dynacc {

// Appends
//   extern "C" void NAME(char* const* p, const int64_t* s, int64_t n, const DynaccLoop* loops)
// which does what CompiledKernel::Run says. loops[k] is the library loop of the k-th library step.
void EmitTiledFunction(const Kernel& kernel, const Dialect& dialect, std::string& out);

}  // namespace dynacc
