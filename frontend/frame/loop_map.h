// The loops of a code object, by the instructions that CPython compiled them to.
#pragma once

#include <vector>

#include "frontend/bytecode/decoded_code.h"

namespace dynacc::frame {

// A loop in the order of the code: from its header, where each round begins, to the end of the last
// jump back to it. Code in between belongs to it, handlers that CPython put there included.
struct Loop {
  int header;  // start of the instruction that jumps go back to
  int end;     // first offset after it
  int trap;    // its header's unit if a trap may be put there (osr_entries.h), or -1
  std::vector<int> plain_back_edges;  // units of its JUMP_BACKWARDs; a trap may be put there

  bool Contains(int offset) const { return offset >= header && offset < end; }
};

// All loops, outer ones before those that they contain.
std::vector<Loop> FindLoops(const bytecode::DecodedCode& code);

// Whether some jump of `code`, an undecoded code object, goes back: cheap.
bool MayLoop(PyCodeObject* code);

}  // namespace dynacc::frame
