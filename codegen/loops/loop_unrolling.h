// Unrolled: loops of a few rounds, whose number is known beforehand, written out round by round.
//
// A window of 3 x 3 elements is two loops in one over the elements. Each begins, counts and ends,
// and has guards of its own; written out they are nine sums with constant indices, and the loop
// around them is the innermost one, whose checks one guard covers.
//
// It is a partial evaluation: from the first op on, with what is known of the ranges whose bounds
// are constants. Tests of their numbers (`if di != 0 or dj != 0`) are decided on the way. Each
// register still gets its value, so that exits find what they tell of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// What a run starts with: values of registers, and sizes of arrays by kDim's k.
struct LoopInputs {
  std::vector<int64_t> registers;
  std::vector<int64_t> extents;
};
LoopInputs InputsOf(const LoopProgram& program, const LoopFrame& frame);

// That an int which no op sets, or the size of an axis, has this value.
struct Assumption {
  bool is_extent = false;
  int32_t what = 0;  // the register, or kDim's k
  int64_t value = 0;
};

struct UnrolledLoop {
  LoopProgram program;                  // what the loop does where ...
  std::vector<Assumption> assumptions;  // ... these hold
};

// The program with its short loops unrolled; also those that are short in a run with these inputs,
// as `range(kernel.shape[0])` where that is 3. Without inputs nothing is assumed. Nothing if there
// are none, or the program would grow too much. No back edge is left where a round was known to be
// followed by another: such rounds do not count, and nobody polls in them.
std::optional<UnrolledLoop> Unrolled(const LoopProgram& program, const LoopInputs& inputs);

}  // namespace dynacc::loops
