// Kernel: the loop-level form of a fusion group: straight-line steps on one-dimensional tiles.
//
// A kernel computes `n` elements. Its operands are the inputs, then the outputs, each a pointer and
// a byte stride (0 for a broadcast value, the item size when contiguous, anything else when
// strided; negative allowed). Rank-0 numbers are inputs of stride 0. Element i of each output is a
// function of element i of the inputs alone, so a kernel may be run on any sub-range, in any order,
// on several threads, with the same bits. The N-d iteration around it, reductions (a library's
// reduce loop on the tile that a kernel produced) and matrix products belong to the executor.
//
// Values are numbered: 0 .. inputs.size()-1 are the inputs, then one for each step, in order. A
// step is either emitted arithmetic or (`library`) a call of a library's inner loop on whole tiles.
//
// Text form (kernel_text.h), one step a line:
//   kernel k0(v0: f64, v1: f64) -> (v3)
//     v2: f64 = add(v0, v1)
//     v3: f64 = exp(v2) library
// With " non_temporal" behind the first line if the kernel can write past the cache, or " folds" if
// it is to add up what it computes where it can, or " tile 256 unroll 4" if that is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::kernel {

struct KernelStep {
  Op op;         // elementwise, Cast or Where
  DType dtype;   // of the operands (of `b` and `c` for Where)
  DType result;  // of the value it defines
  int a = -1;    // values; -1 where the op has fewer operands
  int b = -1;
  int c = -1;
  bool library = false;
  int form = 0;           // of a program's library loop: cpu::OwnLoop
  const char* file = "";  // the user's line, for comments in the emitted source
  int line = 0;
};

struct Kernel {
  std::string name;  // a valid C identifier, unique within its module
  std::vector<DType> inputs;
  std::vector<KernelStep> steps;
  std::vector<int> outputs;  // values stored, one for each output operand
  bool fast_math = false;
  bool non_temporal = false;  // can write past the cache: CompiledKernel::RunRows
  bool folds = false;         // its one output is added up along rows: CompiledKernel::Fold
  // How it is compiled, which changes no bit; 0: as is usual.
  int tile = 0;    // elements of a tile at most
  int unroll = 0;  // vectors that a pass of a loop of emitted arithmetic does

  int num_operands() const { return static_cast<int>(inputs.size() + outputs.size()); }
  DType DTypeOf(int value) const {
    const int num_inputs = static_cast<int>(inputs.size());
    return value < num_inputs ? inputs[value] : steps[value - num_inputs].result;
  }
};

}  // namespace dynacc::kernel
