// The shape of emitted kernels on a GPU: grid-stride loops around a function of one element.
#pragma once

#include <string>

#include "codegen/emit/dialect.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::emit {

// Appends, for K operands in the order of CompiledKernel::Run,
//   extern "C" __global__ void NAME(const Operands<K> operands, int64_t n)
//   extern "C" __global__ void NAME_nd(const NdOperands<K> operands, int64_t n)
// The first is for operands without gaps and moves GridLanes elements a thread at a time; the
// second takes any strides. Library steps are expressions, too.
void EmitGridFunction(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out);

// Appends, after the above, for operands that lie along different axes, and for rolled ones:
//   extern "C" __global__ void NAME_tiled(const TileOperands<K> operands)
//   extern "C" __global__ void NAME_rolled(const RolledOperands<K> operands, int64_t n)
void EmitTiledGridFunction(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out);
void EmitRolledGridFunction(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out);

// The second of these two functions alone.
void EmitStridedGridFunction(const kernel::Kernel& kernel, const Dialect& dialect,
                             std::string& out);

// Elements that a thread of the first function takes at a time: 128 bits of the widest operand, but
// no more than 8, and 4 where a step is a library's: its code is there once for each.
int GridLanes(const kernel::Kernel& kernel);

// Appends the reduction, by `reduction`, of the kernel's one output, for K operands (the inputs,
// then the result):
//   extern "C" __global__ void NAME_rows(const ReduceOperands<K> operands)
//   extern "C" __global__ void NAME_columns(const ReduceOperands<K> operands)
//   extern "C" __global__ void NAME_combine(const ReduceOperands<K> operands)
void EmitGridReduction(const kernel::Kernel& kernel, Op reduction, const Dialect& dialect,
                       std::string& out);

// The prelude's class that combines by `reduction`: "ReduceSum".
const char* ReductionName(Op reduction);

}  // namespace dynacc::emit
