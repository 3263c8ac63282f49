// The shape of emitted kernels on a GPU: one thread an element, a grid-stride loop.
#pragma once

#include <string>

#include "codegen/emit/dialect.h"
#include "codegen/kernel/kernel.h"

namespace dynacc {

// Appends
//   extern "C" __global__ void NAME(const Operands<K> operands, int64_t n)
// for K operands, in the order of CompiledKernel::Run. Library steps are expressions, too.
void EmitGridFunction(const Kernel& kernel, const Dialect& dialect, std::string& out);

}  // namespace dynacc
