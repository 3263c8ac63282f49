// Joins of types: variables with which a loop goes on in more than one state.
//
// `best = 0` before a loop and `if img[y, x] > best: best = img[y, x]` in it make the loop two: one
// for Python's number and one for NumPy's. Variables that nothing has been stored to make its first
// round another loop than the rest, in each of several loops around one another. What these compute
// is the same: they differ in what a variable is where the program ends, and in few operations. So
// a second translation has such a variable at that loop's header as a LoopValue of kind kEither or
// kPerhaps, with a register that tells what it is now. Loops have one entry then, as LLVM's passes
// over loops need it.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "frontend/loops/loop_code.h"
#include "frontend/loops/loop_value.h"

namespace dynacc::loops {

// What a variable may be at a loop's header.
struct TypeJoin {
  NumberType type;             // of the number; of two that it may have, NumPy's
  bool has_two_types = false;  // the other is Python's like it
  bool may_be_unset = false;   // nothing may have been stored to it yet
};

// By code object, offset of a loop's header, and variable.
using TypeJoins = std::map<std::tuple<const PyCodeObject*, int, int>, TypeJoin>;

// A block of code with the types that control reaches it with.
struct TypedBlock {
  const LoopCode* code = nullptr;
  int offset = 0;
  LoopState state;
  int first_op = -1;
};

// Of a translation: the variables with which its loops go on in several states.
TypeJoins FindJoins(const std::vector<TypedBlock>& blocks);

}  // namespace dynacc::loops
