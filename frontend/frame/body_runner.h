// BodyRunner: runs a frame of code outside functions (a script's own, exec's), for its loops.
//
// CPython runs it at full speed, with a trap at the back edges of each loop (loop_traps.h). After a
// loop's first round the trap brings control here. If the loop comes near arrays it is run by
// segments until control leaves it; then, and after an exception, CPython goes on, and the trap at
// the loop's header waits for the loop to be entered again. Straight-line code runs once and is
// never captured.
#pragma once

#include <memory>
#include <vector>

#include "frontend/frame/frame_view.h"
#include "frontend/frame/loop_map.h"
#include "frontend/frame/loop_traps.h"
#include "frontend/frame/segment.h"
#include "frontend/frame/segment_runner.h"

namespace dynacc {

class BodyRunner {
 public:
  // `frame` is fresh and CanRun. `every_loop`: also those that are not near arrays or not worth it.
  BodyRunner(FrameView& frame, std::shared_ptr<const DecodedCode> code, SegmentSet& set,
             bool every_loop);

  // Whether the frame is one of module-like code whose loops can be trapped now.
  static bool CanRun(const FrameView& frame);

  // Runs the frame to its end. A new reference, or null with an exception set.
  PyObject* Run();

 private:
  // After a trap at the unit `offset`: runs on until the next trap, or to the end.
  PyObject* GoOn(int offset);
  PyObject* RunLoop(const Loop& loop, SegmentSet::BodyLoop& record, int start);
  // Gives the frame to CPython after a run of the loop.
  PyObject* HandBack(const Loop& loop, SegmentSet::BodyLoop& record, LoopEnd end);
  const Loop& LoopTrappedAt(int offset) const;
  int HeaderUnit(const Loop& loop) const { return code_->At(loop.header).offset; }
  void ArmFirstLook(const Loop& loop);
  void Disarm(const Loop& loop);
  bool IsNear(const Loop& loop) const;

  FrameView& frame_;
  const std::shared_ptr<const DecodedCode> code_;
  SegmentSet& set_;
  const bool every_loop_;
  const std::vector<Loop> loops_;
  LoopTraps traps_;
};

}  // namespace dynacc
