// Vector stretches: rounds of an innermost loop with stores that LLVM can do side by side.
//
// A stretch with stores (loop_stretch.h) asks in each round whether Python has to do it, and LLVM
// makes no vectors of a loop that may end anywhere. A vector stretch asks when its rounds are over.
// Before them it keeps the elements that they store to, one each in every round. If something was
// not right it puts them back, and the plain stretch does these rounds.
//
// Strides are read when a program runs, but vectors are loaded from elements that lie side by
// side. So a vector stretch is entered only where the strides of its axes are its elements' sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/loops/loop_flow.h"
#include "codegen/loops/loop_ranges.h"
#include "codegen/loops/loop_stretch.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// What a store of a vector stretch overwrites: an element a round, side by side.
struct StoredElements {
  int op = 0;
  std::string first;  // C++: the first one's byte offset in the array, as the stretch begins
};

struct VectorStretch {
  Stretch stretch;  // speculates
  std::vector<StoredElements> stored;
  std::map<int32_t, const char*> elements;  // of axes along which it goes: their elements' types
};

// Of a loop that has the plain stretch `stretch`; none where LLVM could not make vectors of it, as
// far as that can be told. `guard` is what holds where the loop's copy runs.
std::optional<VectorStretch> VectorStretchOf(const LoopProgram& program, const LoopFlow& flow,
                                             const ProgramLoop& loop, const Stretch& stretch,
                                             const LoopGuard& guard,
                                             const LoopRanges::Names& names);

}  // namespace dynacc::loops
