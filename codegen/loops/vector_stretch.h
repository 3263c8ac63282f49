// Vector stretches: rounds of an innermost loop that LLVM can do side by side.
//
// A stretch with stores (loop_stretch.h) asks in each round whether Python has to do it, and LLVM
// makes no vectors of a loop that may end anywhere. A vector stretch asks when its rounds are over.
// Before them it keeps the elements that they store to, one each in every round. If something was
// not right it puts them back, and the plain stretch does these rounds.
//
// What a round hands on to the next are sums of ints, such as a count behind a test. What is added
// to one is small, and so is the sum as the stretch begins: then it does not overflow in between.
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

// An op that adds to a sum of ints, or takes from it.
struct IntSum {
  uint16_t sum = 0;
  uint16_t by = 0;
  bool is_checked = true;  // whether `by` is small is to be asked
};

// A sum as a stretch begins, and what is added in a round, are at most so far from 0: then all that
// a stretch adds leaves it an int64_t.
inline constexpr int64_t kMostSum = int64_t{1} << 62;
inline constexpr int64_t kMostAddend = int64_t{1} << 50;
inline constexpr size_t kMostIntSums = 8;  // ops of a loop

struct VectorStretch {
  Stretch stretch;             // speculates
  std::map<int, IntSum> sums;  // by op
  std::vector<StoredElements> stored;
  std::map<int32_t, const char*> elements;  // of axes along which it goes: their elements' types
};

// Of a loop with stores or sums that has the plain stretch `stretch`; none where LLVM could not
// make vectors of it, as far as that can be told. `guard` is what holds where the loop's copy runs.
std::optional<VectorStretch> VectorStretchOf(const LoopProgram& program, const LoopFlow& flow,
                                             const ProgramLoop& loop, const Stretch& stretch,
                                             const LoopGuard& guard,
                                             const LoopRanges::Names& names);

}  // namespace dynacc::loops
