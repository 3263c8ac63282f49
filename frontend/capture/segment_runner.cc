// The way of a frame: from instruction to instruction, each segment by an entry whose guards hold,
// by a new one that is traced, or step by step (segment_steps.cc).
#include "frontend/capture/segment_runner.h"

#include <new>

#include "frontend/cache/entry_run.h"
#include "frontend/cache/tracing_time.h"
#include "frontend/capture/branch_profile.h"
#include "frontend/capture/hook_budget.h"
#include "runtime/base/clock.h"
#include "runtime/base/stats.h"

namespace dynacc::capture {
using Turn = cache::ProfitabilityTest::Turn;

RunEnd SegmentRunner::RunFrame() {
  Count(ThreadStats().frames_captured);
  return RunFrom(code_->instructions().front().start);
}

RunEnd SegmentRunner::RunLoop(int offset, const frame::Loop& loop) {
  loop_ = &loop;
  return RunFrom(offset);
}

RunEnd SegmentRunner::RunFrom(int offset) {
  const cache::RunningScope running(set_);
  pc_ = offset;
  jump_ = kNoJump;
  warm_ = policy_.at_once || profile_.warm_up.IsOver();
  if (!warm_) clock_.emplace();
  frame_.Link();
  Progress progress;
  try {
    progress = RunSegments();
  } catch (const std::bad_alloc&) {  // between segments: what has run has run
    frame_.SetPosition(pc_);
    PyErr_NoMemory();
    progress = Progress::kRaised;
  }
  frame_.Unlink();
  if (clock_) profile_.warm_up.Add(clock_->Elapsed());
  switch (progress) {
    case Progress::kReturned:
      return {RunEnd::Kind::kReturned, pc_, std::move(result_)};
    case Progress::kRaised:
    case Progress::kInterrupted:  // tracing: CPython reports the event
      return {RunEnd::Kind::kRaised, pc_};
    case Progress::kReraised:
      return {RunEnd::Kind::kLeaves, pc_};
    case Progress::kGiveUp:
      break;
    case Progress::kAdvanced:
      return {RunEnd::Kind::kLeft, pc_};
  }
  LogGivingUp();
  return {profile_.unprofitable ? RunEnd::Kind::kTooLittle : RunEnd::Kind::kGaveUp, pc_};
}

SegmentRunner::Progress SegmentRunner::RunSegments() {
  // A frame's RESUME, which entries leave out, is the first instruction that polls.
  Progress progress = loop_ == nullptr ? Poll() : Progress::kAdvanced;
  for (;;) {
    if (progress != Progress::kAdvanced && progress != Progress::kReturned &&
        progress != Progress::kGiveUp) {
      progress = Unwind(progress);
      jump_ = kNoJump;
    }
    if (progress != Progress::kAdvanced || !Inside()) return progress;
    progress = RunSegment();
  }
}

SegmentRunner::Progress SegmentRunner::RunSegment() {
  if (BringsTooLittle()) return LeaveToCPython();
  bool ran = false;
  const Progress in_elements = RunLoopVersion(&ran);
  if (ran) return in_elements;
  cache::Segment& segment = set_.At(pc_, frame_.stack_depth());
  ++segment.visits;
  if (segment.guards.num_entries() > 0) {
    const Progress progress = FindAndRunEntry(segment, &ran);
    if (ran) return progress;
  }
  if (segment.exhausted || segment.empty || !IsDue(segment)) {
    return IsOnlyHeldUp() ? LeaveToCPython() : StepToNextSegment();
  }
  switch (Compile(segment)) {
    case CompileOutcome::kEntry:
      if (const Progress progress = FindAndRunEntry(segment, &ran); ran) return progress;
      break;
    case CompileOutcome::kRaised:
      frame_.SetPosition(pc_);
      return Progress::kRaised;
    case CompileOutcome::kNothing:
      break;
  }
  return StepToNextSegment();
}

SegmentRunner::Progress SegmentRunner::FindAndRunEntry(cache::Segment& segment, bool* ran) {
  Progress progress = Progress::kAdvanced;
  *ran |= segment.VisitMatching(
      frame_.roots(), [&](cache::Entry& entry, absl::Span<BorrowedRef> slots) {
        const std::optional<Progress> made = TryEntry(segment, entry, slots);
        if (made) progress = *made;
        return made.has_value();
      });
  return progress;
}

std::optional<SegmentRunner::Progress> SegmentRunner::TryEntry(cache::Segment& segment,
                                                               cache::Entry& entry,
                                                               absl::Span<BorrowedRef> slots) {
  if (entry.graph->scalars().num_data_dependent() > 0 && entry.statistics.SeldomRuns()) {
    // What was taken for granted of a data-dependent size seldom holds: the next entry ends
    // before it.
    segment.takes_data_dependent_sizes = false;
    return std::nullopt;
  }
  if (entry.statistics.StaysPlain()) return StepToNextSegment();
  const Turn turn = policy_.may_give_up ? entry.statistics.trial.Next() : Turn::kRun;
  const bool loses = policy_.may_give_up && entry.statistics.trial.loses();
  if (turn == Turn::kTimedSteps || (loses && turn == Turn::kRun)) {
    return StepThrough(entry, turn == Turn::kTimedSteps);
  }
  const bool timed = turn == Turn::kTimedRun;
  const int64_t start = timed ? NowNanoseconds() : 0;
  if (timed) segment.guards.Match(frame_.roots(), slots);  // a part of what is timed
  frame_state::FrameStateResults results;
  const cache::EntryOutcome outcome = RunEntry(entry, slots, results, timed);
  if (outcome == cache::EntryOutcome::kMismatch) return std::nullopt;
  if (outcome == cache::EntryOutcome::kFallback) {
    ++entry.statistics.fallback_runs;
    NoteFallbackRun(set_, segment, entry);
    return StepToNextSegment();
  }
  if (outcome == cache::EntryOutcome::kInterrupted) return HandleSignals();
  hurried_ = false;
  segment.NoteHit(entry);
  const int64_t saving = profile_.NoteHit(entry);
  TheHookBudget().Earn(saving);
  if (saving > 0) cache::TheTraceBudget().Earn(saving);
  const Progress progress = PutBack(segment, entry, results);
  if (timed) NoteTimedRun(entry, NowNanoseconds() - start);
  if (!entry.tier.is_final) TierUpStep(entry, *code_, options_);
  if (entry.end.branch.jump >= 0) NoteBreakAtBranch(set_, segment, entry);
  const bool executes = entry.end.execute && pc_ == entry.end.offset;
  return progress == Progress::kAdvanced && executes ? StepOnce() : progress;
}

}  // namespace dynacc::capture
