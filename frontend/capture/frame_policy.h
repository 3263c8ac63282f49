// Which frames are captured, and how eagerly.
//
// A captured frame is run by us, instruction by instruction between compiled segments, which costs
// more than CPython's loop; so by default only frames that come near arrays are taken: those whose
// arguments are arrays, whose code names the array library or arrays among its globals, or has a
// loop and is of a module that has the array library among its globals. A frame is taken when its
// code has run for a while (tracing_time.h), or at its first call if it has a loop, and while
// tracing has not had its share of the program's time (tracing_time.h).
#pragma once

#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/segment.h"
#include "frontend/capture/capture.h"
#include "frontend/capture/segment_runner.h"
#include "frontend/frame/frame_view.h"

namespace dynacc::capture {

struct FrameDecision {
  bool capture = false;
  bool warms_up = false;  // not yet, but the time that it takes counts
  RunPolicy run;
};

// Whether an object says that code which uses it works on arrays: an array, a tuple or list of
// them, a function or module of the array library. `object` may be null.
bool IsNearArrays(BorrowedRef object, const arrays::ArrayNamespace& arrays);

// Whether the array library is among a module's globals.
bool HasArrayLibrary(BorrowedRef globals, const arrays::ArrayNamespace& arrays);

// Whether it is a bytes or bytearray object that is worth a loop program.
bool AreManyBytes(BorrowedRef object);

// The elements of the largest array among the frame's arguments, which are still in its locals.
int64_t LargestArgument(const frame::FrameView& frame, const arrays::ArrayNamespace& arrays);

// Whether a frame's arguments are so much larger than when its code was left alone that another
// look at it is worth its time: then kernels count, and no longer what surrounds them.
bool HasGrown(const frame::FrameView& frame, const cache::SegmentSet& set,
              const arrays::ArrayNamespace& arrays);

// `record.calls` counts this frame already.
FrameDecision DecideFrame(Policy policy, const frame::FrameView& frame, cache::CodeRecord& record,
                          cache::SegmentSet& set, const arrays::ArrayNamespace& arrays);

}  // namespace dynacc::capture
