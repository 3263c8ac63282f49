// Dataflow analyses over decoded bytecode: two that DecodedCode carries, and others that
// are asked for.
#pragma once

#include <vector>

#include "frontend/bytecode/decoded_code.h"

namespace dynacc::bytecode {

// Forward, from depth 0 at the first instruction, along jumps and into exception handlers. One
// entry an instruction; -1: unreachable.
std::vector<int> ComputeStackDepths(const DecodedCode& code);

// Backward. A local is live if some path, those through exception handlers included, may read it
// before writing it; a raise statement reads all of them, for its traceback. Cells are always live.
// One entry an instruction, one bit a localsplus entry.
std::vector<std::vector<bool>> ComputeLiveLocals(const DecodedCode& code);

// For each entry of the stack before the instruction at `offset` the local whose reference to the
// object it shares, by a load that borrows (Instruction::borrows) in the same basic block; -1:
// none, or it is not known.
std::vector<int> BorrowedEntries(const DecodedCode& code, int offset);

// Where the ways from the instruction at `offset` meet again, its immediate post-dominator: the
// start of the first instruction behind it that each way to the function's end passes. -1 if they
// only meet at the end. Exceptions are no ways. Takes time in the square of the code's length.
int ImmediatePostDominator(const DecodedCode& code, int offset);

// A loop that a conditional jump ends.
struct WhileLoop {
  int body = -1;             // what the jump goes on with in the loop; -1: there is no such loop
  int exit = -1;             // ... and outside
  int header = -1;           // the first instruction of the loop, in the order of the code
  std::vector<bool> locals;  // that the loop writes
};

// The loop that the conditional jump at `offset` ends, if it does: one of its ways leads back to
// it, the other does not. Other instructions of the loop may only lead to where the jump does, and
// with what locals are there, too: each other part of a condition with `and`. Loops of iterators
// are none. Takes time in the square of the code's length.
WhileLoop FindWhileLoop(const DecodedCode& code, int offset);

// The conditional jump that ends a loop of whose condition the one at `offset` asks an earlier
// part: it leads out of the loop, too, or on to that one, and nothing is written between them. -1:
// none.
int LastCondition(const DecodedCode& code, int offset);

}  // namespace dynacc::bytecode
