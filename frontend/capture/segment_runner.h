// SegmentRunner: drives one frame through its segments (docs/architecture.md, "Segments").
#pragma once

#include <optional>

#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/entry_run.h"
#include "frontend/cache/function_options.h"
#include "frontend/cache/segment.h"
#include "frontend/capture/segment_compiler.h"
#include "frontend/frame/frame_view.h"
#include "frontend/frame/loop_map.h"

namespace dynacc::loops {
struct LoopVersionRecord;
}  // namespace dynacc::loops

namespace dynacc::capture {

// How eagerly segments of this frame are compiled.
struct RunPolicy {
  uint32_t visits_before_trace = 1;  // times control must have come to a segment
  bool at_once = false;              // without a warm-up, and whatever the budget of traces says
  bool any_size = false;             // also what is hardly worth it
  bool may_give_up = false;          // hand frames back to CPython that bring too little
};

// How a run ended. The frame is not linked.
struct RunEnd {
  enum class Kind {
    kLeft,       // control is at `offset`, outside of the loop
    kGaveUp,     // control is at `offset`: CPython shall go on from there
    kTooLittle,  // the same, because the run brings too little (SegmentSet::Profile)
    kRaised,     // an exception is set; the frame stands at the instruction that raised it
    kLeaves,     // an exception leaves the frame
    kReturned,
  };
  Kind kind;
  int offset = 0;
  Ref value = {};  // kReturned
};

class SegmentRunner {
 public:
  // `profile` takes what the run brings and costs, and says when that is too little.
  SegmentRunner(frame::FrameView& frame, std::shared_ptr<const bytecode::DecodedCode> code,
                cache::SegmentSet& set, cache::SegmentSet::Profile& profile,
                arrays::ArrayNamespace& arrays, RunPolicy policy)
      : frame_(frame),
        code_(std::move(code)),
        set_(set),
        profile_(profile),
        arrays_(arrays),
        options_(set.options()),
        policy_(policy) {}

  // Runs the fresh frame to its end.
  RunEnd RunFrame();

  // Runs the frame from `offset`, which is in `loop`, until it leaves the loop.
  RunEnd RunLoop(int offset, const frame::Loop& loop);

  // Instructions that were executed one by one.
  int64_t steps() const { return steps_; }

 private:
  static constexpr int kNoJump = -1;
  enum class Progress {
    kAdvanced,     // control is at pc_; it may start a segment
    kReturned,     // result_ is the frame's value
    kRaised,       // an exception is set; the frame stands where it was raised
    kReraised,     // the same, and its traceback has the frame
    kInterrupted,  // the same, at the end of a jump back to pc_
    kGiveUp,       // CPython shall run the rest, from pc_
  };

  RunEnd RunFrom(int offset);
  // Runs segments while control stays in what is to be run.
  Progress RunSegments();
  // Goes on with an exception at the frame's own handler, if it has one.
  Progress Unwind(Progress raised);
  // Whether a trace of the segment may be made now.
  bool IsDue(const cache::Segment& segment);
  // Whether the code has run for long enough to be traced; steps before that are not held against
  // it.
  bool IsWarm();
  CompileOutcome Compile(cache::Segment& segment);
  bool Inside() const { return loop_ == nullptr || loop_->Contains(pc_); }
  // Runs the segment at pc_: an entry, or instruction by instruction.
  Progress RunSegment();
  // Runs the loop whose header is at pc_ as one over elements, if it is one; `*ran` says whether.
  Progress RunLoopVersion(bool* ran);
  bool TranslateLoop(loops::LoopVersionRecord& record);
  // Runs the first matching entry that can be run; `*ran` says whether one was.
  Progress FindAndRunEntry(cache::Segment& segment, bool* ran);
  // Nothing: the entry does not fit after all.
  std::optional<Progress> TryEntry(cache::Segment& segment, cache::Entry& entry,
                                   absl::Span<BorrowedRef> slots);
  cache::EntryOutcome RunEntry(cache::Entry& entry, absl::Span<const BorrowedRef> slots,
                               frame_state::FrameStateResults& results, bool in_trial);
  cache::EntryOutcome RunHotEntry(cache::HotTuning& hot, cache::Entry& entry,
                                  absl::Span<const BorrowedRef> slots,
                                  frame_state::FrameStateResults& results);
  void NoteTimedRun(cache::Entry& entry, int64_t nanoseconds);
  void LogTrial(const cache::Entry& entry) const;
  // Lets signals and other threads in, as CPython does: at pc_, or further on.
  Progress Poll();
  // Executes single instructions up to the next one that polls.
  Progress StepToPoll();
  // What to do when an entry was interrupted: nothing of it has happened.
  Progress HandleSignals();
  // Stores the locals; the old values go to `dropped`, to die when all is in its place.
  void WriteLocals(const frame_state::FrameState& frame_state,
                   const frame_state::FrameStateResults& results,
                   frame_state::FrameStateResults& dropped);
  void PushStack(const frame_state::FrameState& frame_state,
                 const frame_state::FrameStateResults& results);
  // Writes an entry's results into the frame and goes on after it.
  Progress PutBack(const cache::Segment& segment, const cache::Entry& entry,
                   frame_state::FrameStateResults& results);
  // Executes what the entry covers, and the instruction that ended it, one by one.
  Progress StepThrough(cache::Entry& entry, bool timed);
  // Executes single instructions until one may start a segment.
  Progress StepToNextSegment();
  Progress StepOnce();
  bool BringsTooLittle() const;
  // Whether nothing of the code was compiled because traces have had their share of the time.
  bool IsOnlyHeldUp() const;
  Progress LeaveToCPython();
  void LogGivingUp() const;

  frame::FrameView& frame_;
  std::shared_ptr<const bytecode::DecodedCode> code_;
  cache::SegmentSet& set_;
  cache::SegmentSet::Profile& profile_;
  arrays::ArrayNamespace& arrays_;
  const cache::FunctionOptions& options_;
  const RunPolicy policy_;
  const frame::Loop* loop_ = nullptr;  // what is to be run; null: the whole frame
  int pc_ = 0;
  int jump_ = kNoJump;  // the jump back that has just led to pc_
  bool warm_ = true;
  int64_t steps_ = 0;
  std::optional<cache::WarmUpClock> clock_;  // of this run, if it began before the warm-up was over
  bool held_up_ = false;                     // a trace was due that the budget did not allow
  bool hurried_ = false;                     // the next entry runs to its end whatever signals come
  Ref result_;
};

}  // namespace dynacc::capture
