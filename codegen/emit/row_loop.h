// The shape of emitted row kernels on a GPU: several groups, a row at a time
// (schedule/row_kernels.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/dialect.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::emit {

// Where a stage's kernel has an input from: an operand of the row kernel, or an output of a stage
// before.
struct RowInput {
  int operand = -1;
  int stage = -1;
  int output = 0;  // of the stage
};

// One group of a row kernel.
struct RowPart {
  kernel::Kernel kernel;        // what it computes of an element; of a reduction, what is reduced
  bool is_wide = true;          // it goes over whole rows; otherwise it has one element a row
  std::optional<Op> reduction;  // its value is then one number a row; a wide stage only
  std::vector<RowInput> inputs;
  std::vector<int> stores;  // by output: the operand that it is stored in, or -1
};

struct RowProgram {
  std::string name;
  std::vector<DType> operands;  // what is read, then what is stored
  std::vector<RowPart> stages;
};

// How a row kernel's threads share a row.
struct RowPlan {
  int lanes = 1;          // neighbouring elements that a thread takes at a time
  int chunks = 1;         // times that, at most, where rows are kept in registers
  int kept_bytes = 0;     // an element of a row, of all that a later pass needs again
  int scratch_bytes = 0;  // of that, what is not read again instead
};
RowPlan PlanRows(const RowProgram& program);

// Appends, for K operands,
//   extern "C" __global__ void NAME_warp(const RowOperands<K> operands)       32 threads a row
//   extern "C" __global__ void NAME_block(const RowOperands<K> operands)      a block a row
//   extern "C" __global__ void NAME_shared(const RowOperands<K> operands)     a block a long row
//   extern "C" __global__ void NAME_scratch(const RowOperands<K> operands)    a block a longer one
//   extern "C" __global__ void NAME_columns(const RowOperands<K> operands)    rows side by side: a
//     block as many of them as it is wide, each of its threads a part of one
// The stages' own functions (EmitGridFunction, EmitGridReduction) must be there before.
void EmitRowKernel(const RowProgram& program, const Dialect& dialect, std::string& out);

}  // namespace dynacc::emit
