// Trust in loops of ours that replace the library's, on the evidence of results.
#pragma once

#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

// Whether ask(loop) says that ours has the bits of `loop`. The library has one loop for each place
// that asks (each type of `ask`), so the answer for the first one is kept.
template <typename Ask>
bool HasBitsOf(const kernel::LibraryLoop& loop, const Ask& ask) {
  struct Answer {
    kernel::LibraryLoop loop;
    bool is_yes;
  };
  static const Answer first{loop, ask(loop)};
  return loop.fn == first.loop.fn ? first.is_yes : ask(loop);
}

}  // namespace dynacc::cpu
