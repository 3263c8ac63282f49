// Donations: temporaries that lie in the memory of what is computed from them.
//
// `q @ k.T * c` needs one array and not two: the product can lie where the scaled one will, as no
// element of it is read after the element at the same place has been written. So what a step is the
// last to read aliases one of the step's results (BufferPlan::aliased_buffer), if
//   - an elementwise kernel computes that result, of as many elements of the same size;
//   - the step reads the temporary as it lies, element by element, not through a view or shifted,
//     and not by a library's loop, which may compute other bits in place;
//   - so do all steps that run block of rows by block of rows with it: another block may be
//     written by then;
//   - it is made by these steps, too, if they may be begun anew: what they read must be there
//     again.
// A buffer that aliases another may be aliased itself; then all of such a chain lie in the last
// one. Results of the graph may be aliased, too; inputs never are, and alias nothing.
//
// Whether the two lie alike is seen as they are allocated: if not, each has its own memory. Either
// way nothing is written that would not be: a temporary of which the run ends early is gone.
// DYNACC_DISABLE_PASSES=donate-memory leaves all this out.
#pragma once

#include <utility>
#include <vector>

#include "runtime/executor/plan.h"

namespace dynacc::compile {

// What a step does with a buffer.
enum class BufferAccess : uint8_t {
  kMakes,      // writes it, in any order
  kComputes,   // writes it by a kernel: each element after all that it reads at its place
  kReads,      // as it lies
  kGives,      // to a library's loop, as it lies
  kReadsElse,  // in another order, or a part of it
};

struct BufferUse {
  int buffer;
  int step;
  BufferAccess access;
};

struct BufferUses {
  std::vector<BufferUse> all;                // in the order of their steps
  std::vector<std::pair<int, int>> aliases;  // (buffer, the one whose memory it may be)
  std::vector<int> last;       // of each buffer: the last step that touches what may be its memory
  std::vector<int> together;   // of each step: the first that runs by rows with it, or itself
  std::vector<bool> restarts;  // of each step: these may be begun anew (ReadyRows); empty: none
};

// Chooses the aliased buffers of the temporaries among `buffers`.
void PlanDonations(const BufferUses& uses, std::vector<executor::BufferPlan>& buffers);

}  // namespace dynacc::compile
