// Joins of types: variables that are Python's numbers in some rounds and NumPy's in others.
//
// `best = 0` before a loop and `if img[y, x] > best: best = img[y, x]` in it make the loop two, one
// for each type, and control goes to and fro between them. What they compute is the same: the types
// differ in what the variable is where the program ends, and in few operations. So where a loop
// goes on with either type, a second translation has the variable as a LoopValue of kind kEither at
// that loop's header: the number, and which of the two types it has now.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "frontend/loops/loop_code.h"
#include "frontend/loops/loop_value.h"

namespace dynacc::loops {

// By code object, offset of a loop's header, and variable: the NumPy type that it may have there.
using TypeJoins = std::map<std::tuple<const PyCodeObject*, int, int>, NumberType>;

// A block of code with the types that control reaches it with.
struct TypedBlock {
  const LoopCode* code = nullptr;
  int offset = 0;
  LoopState state;
  int first_op = -1;
};

// Of a translation: the variables of which a loop that goes on with one type may also go on with
// the other. `next`: by block, those to which control passes.
TypeJoins FindJoins(const std::vector<TypedBlock>& blocks,
                    const std::vector<std::vector<int>>& next);

}  // namespace dynacc::loops
