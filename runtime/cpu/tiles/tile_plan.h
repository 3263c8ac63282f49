// TilePlan: the order in which a tile goes through a kernel's steps.
//
// A kernel with library steps alternates between loops of emitted arithmetic and calls of library
// loops on the whole tile. Steps are put into phases, as few as their dependences allow: phase k
// first makes its calls, then runs one loop over all of its emitted steps. A value that is read
// in another place than the loop that computes it is kept in a tile buffer.
//
// An output may be the same memory as an input, so nothing is stored into an output while some
// input is still to be read; such a value waits in a buffer for the last loop.
#pragma once

#include <vector>

#include "runtime/kernel/kernel.h"

namespace dynacc::cpu {

struct TilePhase {
  std::vector<int> calls;    // steps done by a library's loop, in order
  std::vector<int> emitted;  // steps of the loop that follows, in order
};

struct TilePlan {
  std::vector<TilePhase> phases;  // at least one; the last one's loop also does the final stores

  // By value: the phase that defines it (0 for inputs), whether it has a tile buffer, and the
  // output in whose tile it is stored as soon as it is known (-1 if in none).
  std::vector<int> phase;
  std::vector<bool> buffered;
  std::vector<int> output;

  // By input: read by emitted code (library loops read the operand where it is).
  std::vector<bool> loaded;

  // By output: stored by the last loop, from a value that was kept elsewhere.
  std::vector<bool> stored_last;

  // By value: read by an emitted loop after a library's loop wrote it.
  std::vector<bool> reloaded;

  // Elements of a tile: as many as keep the buffers in cache.
  int tile = 0;
};

TilePlan MakeTilePlan(const kernel::Kernel& kernel);

}  // namespace dynacc::cpu
