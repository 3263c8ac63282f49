// Vector stretches: rounds of an innermost loop that LLVM can do side by side.
//
// A stretch with stores (loop_stretch.h) asks in each round whether Python has to do it, and LLVM
// makes no vectors of a loop that may end anywhere. A vector stretch asks when its rounds are over.
// Before them it keeps the elements that they store to, one each in every round. If something was
// not right it puts them back, and the plain stretch does these rounds.
//
// A store behind a test (`if x < best[j]: best[j] = x`) becomes a store of some of a vector's
// elements. The others may be another thread's, and are not written: what is put back are those
// that have changed.
//
// LLVM may have to ask before each stretch whether what is stored lies apart from each thing that
// is read. The printed program asks instead: once a run whether arrays lie apart, and of each
// stretch, for elements of one array, how far they are from each other. A read element that is the
// same in all rounds, as d[i, k] in `d[i, j] = min(d[i, j], d[i, k] + d[k, j])`, may be among those
// that are stored. It is read before the rounds, and has to be what it was when they are over.
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
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/loops/loop_flow.h"
#include "codegen/loops/loop_ranges.h"
#include "codegen/loops/loop_stretch.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// What a store of a vector stretch overwrites: an element a round, side by side, or, if the range
// goes backwards, in front of that of the round before.
struct StoredElements {
  int op = 0;
  std::string first;       // C++: the first one's byte offset in the array, as the stretch begins
  bool is_tested = false;  // not in each round
};

// A load of the same element in all rounds, that is done once, before them.
struct SameElement {
  std::string place;        // C++: its byte offset in the array
  bool is_checked = false;  // a round may store to it
};

// That no round depends on what another has stored, where `conditions` hold.
struct Independence {
  std::set<std::pair<int, int>> apart;  // ops that access arrays which must not overlap
  std::vector<std::string> conditions;  // C++
  std::map<int, SameElement> same;      // by op
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
  int step = 1;                // of the loop's range: 1 or -1
  std::map<int, IntSum> sums;  // by op
  std::vector<StoredElements> stored;
  std::map<int32_t, const char*> elements;   // of axes along which it goes: their elements' types
  std::optional<Independence> independence;  // none: LLVM has to find out
};

// Of a loop with stores or sums that has the plain stretch `stretch`; none where LLVM could not
// make vectors of it, as far as that can be told. `guard` is what holds where the loop's copy runs.
std::optional<VectorStretch> VectorStretchOf(const LoopProgram& program, const LoopFlow& flow,
                                             const ProgramLoop& loop, const Stretch& stretch,
                                             const LoopGuard& guard,
                                             const LoopRanges::Names& names);

}  // namespace dynacc::loops
