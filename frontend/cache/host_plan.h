// HostPlan: what a host needs of an entry to run it and to take its results without the GIL.
//
// The entry's frame state, where every object that it makes has a form outside Python: new arrays
// and views of them, numbers, text, and lists, tuples and dicts of these. It owns what it says, so
// that the entry may go while a host runs it.
#pragma once

#include <memory>
#include <vector>

#include "frontend/cache/host_result.h"
#include "frontend/frame_state/frame_state.h"

namespace dynacc::cache {

struct Entry;

struct HostPlan {
  struct Step {
    frame_state::FrameStateOp op = frame_state::FrameStateOp::kConstant;
    int a = 0;            // as in FrameStateStep
    int base = 0;         // of a view: the step whose memory it looks into
    HostResult constant;  // of a constant, list, tuple or dict: itself
  };
  std::vector<Step> steps;  // a step follows those that it needs
  std::vector<frame_state::ViewSpec> views;
  std::vector<bool> output_is_scalar;
  int returned = 0;  // the step of the value
};

// The plan of an entry that covers a whole call; null if something that it makes has no such form,
// or if it does more than to make a value. Needs the GIL.
std::shared_ptr<const HostPlan> MakeHostPlan(const Entry& entry);

}  // namespace dynacc::cache
