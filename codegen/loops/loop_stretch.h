// Stretches: innermost loops over ranges run some rounds at a time, and only then is it asked
// whether another thread waits. In a stretch it may also be left for later what an operation has
// given.
//
// An infinity or NaN that comes of finite numbers is left to Python, before anything has come of
// it. But what a sum or a quotient is given stays in it, so the last of several operations tells
// for all. A loop without effects *speculates*: it is looked at its sums when the stretch is over.
// If something was not right, the registers become what they were before the stretch, and the
// checked loop does these rounds. So the compiler is free to do rounds side by side. Where there
// are stores, what comes before the first of a round is looked at there. If something was not
// right, the registers become what they were before the round, and so much of it is done again with
// all checks.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "codegen/loops/loop_flow.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// A call that gives the same in all rounds, or the arithmetic of its arguments: it is done once,
// before the rounds. The op stays where it is, and a call there only gives the result.
struct Hoisted {
  int op = 0;
  int left = -1;  // the op that gives an operand; -1: its register, which the loop does not set
  int right = -1;
};

struct Stretch {
  bool speculates = false;
  std::set<int> absorbed;  // ops whose infinities and NaNs are in what others give
  // Of no speculation:
  std::set<int> telling;           // the ops of a round that tell of these
  int last_again = -1;             // the op up to which a round is done again; -1: nothing is
  std::vector<LoopOperand> kept;   // of what these ops set: what a round needs again
  std::set<uint16_t> sums;         // float registers that are looked at when a stretch is over
  std::vector<LoopOperand> saved;  // what a loop sets that speculates
  std::vector<Hoisted> hoisted;    // each after those whose results it has
};

// Of an innermost loop over a range that does not call anything; none of another.
std::optional<Stretch> StretchOf(const LoopProgram& program, const LoopFlow& flow,
                                 const ProgramLoop& loop);

// Makes a stretch of the loop one that speculates.
void Speculate(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop,
               Stretch* stretch);

// Whether the op does nothing but begin the loop's next round. The first round of a loop is often
// one apart, whose variables have other types, so loops are entered there, and in the middle of a
// round.
bool IsBetweenRounds(const LoopProgram& program, const ProgramLoop& loop, int op);

// Whether an infinity or NaN in `reg` is one in what the op gives.
bool Absorbs(const LoopOp& op, uint16_t reg);

}  // namespace dynacc::loops
