// OsrFrame: a frame that CPython's loop runs, for the sake of the loops in it.
//
// CPython runs it at full speed, with a trap at the back edges of each loop (osr_entries.h). After
// a loop's first round the trap brings control here. If the loop comes near arrays it is run by
// segments until control leaves it; then CPython goes on, and the trap at the loop's header waits
// for it to be entered again. Straight-line code is never captured.
//
// So run the frames of code outside functions (a script's own, exec's), and what is left of a
// function's frame when a loop of it brought too little. The code may be run meanwhile from where
// no evaluator sees it; so the frame runs a copy, and only that is trapped.
#pragma once

#include <memory>
#include <vector>

#include "frontend/cache/segment.h"
#include "frontend/capture/segment_runner.h"
#include "frontend/fallback/osr_entries.h"
#include "frontend/frame/frame_view.h"
#include "frontend/frame/loop_map.h"

namespace dynacc::capture {

class OsrFrame {
 public:
  // `every_loop`: also those that are not near arrays or not worth it.
  OsrFrame(frame::FrameView& frame, std::shared_ptr<const bytecode::DecodedCode> code,
           cache::SegmentSet& set, bool every_loop);

  // Whether the fresh frame is of code outside functions whose names are its globals. Its locals,
  // if it has any, are variables of comprehensions.
  static bool IsBody(const frame::FrameView& frame);

  // Runs the frame from `offset` to its end. A new reference, or null with an exception set.
  PyObject* Run(int offset);
  // The innermost loop at `offset` brings too little: it is not looked at again.
  void LeaveLoopAlone(int offset);

 private:
  // Gives the frame to CPython at `offset` (with the exception that is set, `raised`).
  PyObject* Resume(int offset, bool raised = false);
  // After a trap at the unit `offset`: runs on until the next trap, or to the end.
  PyObject* GoOn(int offset);
  PyObject* RunLoop(const frame::Loop& loop, cache::SegmentSet::LoopRecord& record, int start);
  // Gives the frame to CPython after a run of the loop.
  PyObject* HandBack(const frame::Loop& loop, cache::SegmentSet::LoopRecord& record, RunEnd end);
  const frame::Loop& OsrEntryAt(int offset) const;
  void ArmFirstLook(const frame::Loop& loop);
  void ArmHeader(const frame::Loop& loop);
  // So that control, which goes on at `offset`, comes back in this round of the loop or the next.
  void ArmNext(const frame::Loop& loop, int offset);
  void Disarm(const frame::Loop& loop);
  bool IsNear(const frame::Loop& loop) const;
  BorrowedRef ValueRead(const bytecode::Instruction& at) const;

  frame::FrameView& frame_;
  const std::shared_ptr<const bytecode::DecodedCode> code_;
  cache::SegmentSet& set_;
  const bool every_loop_;
  const std::vector<frame::Loop> loops_;
  const Ref original_;  // the frame's own code
  const Ref copy_;      // what CPython runs; empty if there is no memory for it
  fallback::OsrEntries traps_;
  // A segment returned from the frame, wherever that stands; CPython's loop is not what ended it.
  bool returned_ = false;
};

}  // namespace dynacc::capture
