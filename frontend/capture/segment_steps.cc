// What SegmentRunner does beside the way of a frame (segment_runner.cc): single instructions,
// polls, unwinding, loops, traces, and what runs cost.

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "boost/container/small_vector.hpp"
#include "frontend/cache/entry_run.h"
#include "frontend/cache/hot_tuning.h"
#include "frontend/cache/tracing_time.h"
#include "frontend/capture/hook_budget.h"
#include "frontend/capture/hook_switch.h"
#include "frontend/capture/segment_runner.h"
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/fallback/step_interpreter.h"
#include "frontend/fallback/unwind.h"
#include "frontend/frame/source_line.h"
#include "frontend/loops/loop_versions.h"
#include "frontend/numpy/capi/in_temporary.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "runtime/base/trace_file.h"

namespace dynacc::capture {
namespace {

// To take the time costs as much as a small run: of entries that run often it is taken now and
// then.
constexpr int kRunsBetweenTimings = 16;

// RESUME's argument after a `yield` or `await`, where CPython does not poll.
constexpr int kFirstSilentResume = 2;

}  // namespace

void SegmentRunner::LogGivingUp() const {
  Count(ThreadStats().deopts);
  if (!LogEnabled(LogTopic::kPolicy)) return;
  Log(LogTopic::kPolicy,
      absl::StrCat(frame::CodeLabel(code_->code(), code_->At(pc_).line), ": CPython runs on from ",
                   bytecode::OpcodeName(code_->At(pc_).opcode)));
}

// Tools that trace get the event of an exception from CPython's loop; one that is raised again is
// no event.
SegmentRunner::Progress SegmentRunner::Unwind(Progress raised) {
  const bool again = raised == Progress::kReraised;
  if (!again && IsTracing(frame_.thread())) return raised;
  if (raised == Progress::kInterrupted) {
    const bool handled = fallback::UnwindFromJump(frame_, *code_, pc_, &pc_);
    return handled ? Progress::kAdvanced : Progress::kReraised;
  }
  const int unit = again ? code_->At(pc_).offset : frame_.position();
  const fallback::StepOutcome outcome =
      again ? fallback::StepOutcome::kReraised : fallback::StepOutcome::kRaised;
  if (!fallback::UnwindToHandler(frame_, *code_, unit, outcome, &pc_)) return Progress::kReraised;
  return IsTracing(frame_.thread()) ? Progress::kGiveUp : Progress::kAdvanced;
}

SegmentRunner::Progress SegmentRunner::RunLoopVersion(bool* ran) {
  // A fullgraph function is one graph or an error.
  if (!code_->HasLoop() || options_.fullgraph || !loops::LoopVersions::AreOn())
    return Progress::kAdvanced;
  if (set_.loop_versions == nullptr)
    set_.loop_versions = std::make_unique<loops::LoopVersions>(*code_);
  loops::LoopVersionRecord* record = set_.loop_versions->At(pc_);
  if (record == nullptr) return Progress::kAdvanced;
  ++record->visits;
  int64_t saving = 0;
  loops::LoopVersion::End end;
  using Result = loops::LoopVersion::Result;
  Result result = loops::LoopVersions::Run(*record, frame_, &end, &saving);
  if (result == Result::kNoMatch && TranslateLoop(*record)) {
    result = loops::LoopVersions::Run(*record, frame_, &end, &saving);
  }
  if (result == Result::kNoMatch) return Progress::kAdvanced;
  *ran = true;
  if (result == Result::kRaised) {
    frame_.SetPosition(pc_);
    return Progress::kRaised;
  }
  Count(ThreadStats().entries_hit);
  TheHookBudget().Earn(saving);
  ++profile_.operations_run;
  profile_.cost_ledger.Add(saving);
  if (saving > 0) cache::TheTraceBudget().Earn(saving);
  pc_ = end.offset;
  jump_ = end.jump;
  frame_.SetPosition(pc_);
  if (result == Result::kAt) return StepToNextSegment();
  return jump_ == kNoJump ? Progress::kAdvanced : Poll();
}

// CPython polls at a jump back, after a call and at RESUME, and nowhere else: a program may rely on
// what it finds done when a signal's handler raises. Right after a jump back this is the jump's
// poll, and before RESUME that one's. Elsewhere the next instruction that polls is waited for; and
// after a jump of a loop that calls something, too, as it is in calls that most signals find
// CPython.
SegmentRunner::Progress SegmentRunner::Poll() {
  if (!EvalBreakerSet(frame_.thread())) return Progress::kAdvanced;
  if (!MoreThanThreadsWait(frame_.thread())) {
    LetOtherThreadsIn();
    return Progress::kAdvanced;
  }
  const bytecode::Instruction& next = code_->At(pc_);
  const bool at_resume = next.opcode == RESUME && next.arg < kFirstSilentResume;
  const bool at_jump = !at_resume && jump_ != kNoJump && !code_->CallsBetween(pc_, jump_);
  // What another thread raises here comes at no certain place, and a host's deadline is over now.
  if (!at_resume && !at_jump && !ExceptionWaits()) return StepToPoll();
  frame_.SetPosition(at_jump ? code_->At(jump_).offset : next.offset);
  if (!PollEvalBreaker(frame_.thread())) {
    return at_jump ? Progress::kInterrupted : Progress::kRaised;
  }
  frame_.SetPosition(pc_);
  return Progress::kAdvanced;
}

SegmentRunner::Progress SegmentRunner::StepToPoll() {
  hurried_ = false;  // steps get on, too
  while (EvalBreakerSet(frame_.thread())) {
    const Progress progress = StepOnce();
    if (progress != Progress::kAdvanced || jump_ != kNoJump || !Inside()) return progress;
  }
  return set_.StartsSegment(pc_) ? Progress::kAdvanced : StepToNextSegment();
}

// A translation takes some hundredths of a millisecond, most refusals less, and a loop that is
// translated runs a tenth as long: the budget of traces pays for it, but is not asked. A version
// dies with a function that is called in it. Where each call of the code brings a new one (a
// lambda), each makes a version of its own, which has to earn what it costs.
bool SegmentRunner::TranslateLoop(loops::LoopVersionRecord& record) {
  if (record.visits < policy_.visits_before_trace) return false;
  if (!policy_.at_once && !IsWarm()) return false;
  const int64_t start = ThreadNanoseconds();
  const bool is_one = loops::LoopVersions::Translate(record, frame_, *code_);
  const int64_t cost = ThreadNanoseconds() - start;
  cache::TheTraceBudget().Spend(cost);
  if (record.has_replaced && !policy_.at_once) {
    record.cost_ledger.Add(-cost);
    if (record.cost_ledger.IsGreatLoss()) record.given_up = true;
  }
  return is_one;
}

bool SegmentRunner::IsWarm() {
  if (!warm_) warm_ = profile_.warm_up.IsOverAfter(clock_->Elapsed());
  return warm_;
}

bool SegmentRunner::IsDue(const cache::Segment& segment) {
  if (segment.visits < policy_.visits_before_trace) return false;
  if (!policy_.any_size && !segment.MayTrace()) return false;
  if (policy_.at_once) return true;
  if (!IsWarm()) return false;
  held_up_ = !cache::TheTraceBudget().Allows();
  return !held_up_;
}

CompileOutcome SegmentRunner::Compile(cache::Segment& segment) {
  const int64_t start = ThreadNanoseconds();
  const CompileOutcome outcome =
      CompileSegment(frame_, code_, set_, segment, arrays_, options_, policy_.any_size);
  segment.NoteTrace();
  cache::TheTraceBudget().Spend(ThreadNanoseconds() - start);
  return outcome;
}

// After a poll the segment may be tried again, guards and all, as the handlers may have changed
// anything; that run is not interrupted, so that signals which come faster than it ends do not keep
// it from ending.
SegmentRunner::Progress SegmentRunner::HandleSignals() {
  hurried_ = true;
  frame_.SetPosition(pc_);
  return Poll();
}

// Before the final tier the time is taken: it decides when that one is made.
cache::EntryOutcome SegmentRunner::RunEntry(cache::Entry& entry,
                                            absl::Span<const BorrowedRef> slots,
                                            frame_state::FrameStateResults& results,
                                            bool in_trial) {
  TraceSpan span("run", TraceLevel::kRuns);
  if (span) span.Begin(frame::CodeLabel(code_->code(), code_->At(pc_).line));
  const cache::RunClock clock(entry.account);
  const std::shared_ptr<cache::HotTuning> hot = entry.tier.hot;
  if (hot != nullptr && entry.tier.is_final && !in_trial && !hot->is_done()) {
    return RunHotEntry(*hot, entry, slots, results);
  }
  const auto run = [&](int64_t* nanoseconds) {
    return cache::RunEntryGraph(entry, slots, frame_.function(), arrays_, !hurried_, results,
                                nanoseconds);
  };
  const bool often = entry.statistics.hits >= kRunsBetweenTimings;
  if (entry.tier.is_final || in_trial ||
      (often && entry.statistics.hits % kRunsBetweenTimings != 0)) {
    return run(nullptr);
  }
  int64_t nanoseconds = 0;
  const cache::EntryOutcome outcome = run(&nanoseconds);
  entry.tier.kernel_nanoseconds += nanoseconds * (often ? kRunsBetweenTimings : 1);
  return outcome;
}

// The entry as it is, or what may be faster.
cache::EntryOutcome SegmentRunner::RunHotEntry(cache::HotTuning& hot, cache::Entry& entry,
                                               absl::Span<const BorrowedRef> slots,
                                               frame_state::FrameStateResults& results) {
  const cache::HotTuning::Turn turn = hot.Next(entry, slots, arrays_);
  const int64_t start = turn.is_timed ? NowNanoseconds() : 0;
  const cache::EntryOutcome outcome =
      cache::RunEntryGraph(entry, slots, frame_.function(), arrays_, !hurried_, results,
                           /*kernel_nanoseconds=*/nullptr, turn.rival.get());
  if (turn.is_timed && outcome == cache::EntryOutcome::kDone) {
    hot.Note(entry, turn, NowNanoseconds() - start);
  }
  return outcome;
}

void SegmentRunner::WriteLocals(const frame_state::FrameState& frame_state,
                                const frame_state::FrameStateResults& results,
                                frame_state::FrameStateResults& dropped) {
  for (const frame_state::FrameState::LocalWrite& write : frame_state.locals) {
    const bool unbound = write.step == frame_state::FrameState::kUnbound;
    dropped.push_back(
        frame_.localsplus()[write.local].Exchange(unbound ? Ref() : results[write.step]));
  }
}

void SegmentRunner::PushStack(const frame_state::FrameState& frame_state,
                              const frame_state::FrameStateResults& results) {
  for (size_t i = 0; i < frame_state.stack.size(); ++i) {
    const Ref& value = results[frame_state.stack[i]];
    const int local = frame_state.borrowed_from[i];
    if (local >= 0 && value && frame_.localsplus()[local] == value.get()) {
      frame_.PushSlot(FrameSlot(value.get()));
    } else {
      frame_.Push(value);
    }
  }
}

SegmentRunner::Progress SegmentRunner::PutBack(const cache::Segment& segment,
                                               const cache::Entry& entry,
                                               frame_state::FrameStateResults& results) {
  const frame_state::FrameState& frame_state = entry.frame_state;
  if (!frame_state::ReplayEffects(frame_state.effects, {results.data(), results.size()})) {
    frame_.SetPosition(pc_);
    return Progress::kRaised;
  }
  // The old values die when everything is in its new place: a destructor may look at the frame.
  frame_state::FrameStateResults dropped;
  if (frame_state.returned >= 0) {
    result_ = results[frame_state.returned];
    if (frame_.has_object()) WriteLocals(frame_state, results, dropped);
    return Progress::kReturned;
  }
  while (frame_.stack_depth() > frame_state.keep_depth) dropped.push_back(frame_.Pop());
  WriteLocals(frame_state, results, dropped);
  PushStack(frame_state, results);
  pc_ = entry.end.offset;
  jump_ = entry.end.jump;
  // What comes next shall find the reference counts that CPython would have.
  results.clear();
  dropped.clear();
  // A loop whose back edge lies inside the entry must still see signals and other threads.
  frame_.SetPosition(pc_);
  return jump_ != kNoJump || pc_ <= segment.offset ? Poll() : Progress::kAdvanced;
}

// To take the kernels' time would make the run longer: it is that of the runs before.
void SegmentRunner::NoteTimedRun(cache::Entry& entry, int64_t nanoseconds) {
  const int64_t runs =
      static_cast<int64_t>(entry.statistics.hits) - 1 - entry.statistics.trial.timed_runs();
  const int64_t in_kernels = runs > 0 ? entry.tier.kernel_nanoseconds / runs : 0;
  entry.statistics.trial.NoteRun(nanoseconds, std::min(in_kernels, nanoseconds),
                                 !entry.tier.is_final, entry.num_operations);
  LogTrial(entry);
}

void SegmentRunner::LogTrial(const cache::Entry& entry) const {
  if (!entry.statistics.trial.decided() || entry.statistics.trial.in_later_round() ||
      !LogEnabled(LogTopic::kPolicy))
    return;
  Log(LogTopic::kPolicy,
      absl::StrCat(frame::CodeLabel(code_->code(), entry.end.line), ": an entry of ",
                   entry.num_operations, " operations ends here that ",
                   entry.statistics.trial.Describe()));
}

SegmentRunner::Progress SegmentRunner::StepThrough(cache::Entry& entry, bool timed) {
  // What is called is to take what it takes without DynaCC.
  std::optional<ExtentOff> off;
  if (timed) off.emplace();
  // Not the processor time: the system call empties what the processor has learnt of branches, and
  // what comes next takes longer.
  const int64_t start = timed ? NowNanoseconds() : 0;
  Progress progress = Progress::kAdvanced;
  int steps = 0;
  // Which side of a branch it goes, and so how many instructions there are, nobody knows.
  const auto is_through = [&] {
    return entry.branches.empty() ? steps == entry.instructions
                                  : steps > 0 && pc_ == entry.end.offset;
  };
  for (; progress == Progress::kAdvanced && !is_through(); ++steps) {
    if (steps > 0 && !Inside()) return progress;
    progress = StepOnce();
  }
  const bool as_traced = entry.frame_state.returned >= 0
                             ? progress == Progress::kReturned
                             : progress == Progress::kAdvanced && pc_ == entry.end.offset;
  if (timed && as_traced) {
    entry.statistics.trial.NoteSteps(NowNanoseconds() - start, steps);
    LogTrial(entry);
  }
  if (!as_traced || progress == Progress::kReturned) return progress;
  return entry.end.execute ? StepOnce() : progress;
}

SegmentRunner::Progress SegmentRunner::StepToNextSegment() {
  // Segments start at loop headers, where one started before, and after what ended one.
  for (;;) {
    const int from = pc_;
    const Progress progress = StepOnce();
    if (progress != Progress::kAdvanced) return progress;
    const bool jumped_back = pc_ <= from;
    if (jumped_back || set_.StartsSegment(pc_) || set_.EndsSegment(from) || !Inside()) {
      return progress;
    }
  }
}

SegmentRunner::Progress SegmentRunner::StepOnce() {
  ++steps_;
  if (warm_) profile_.cost_ledger.Add(-cache::kStepNanoseconds);
  int next = pc_;
  // Here NumPy is there; steps alone run without it.
  static const bool installed =
      (fallback::SetOperatorsInTemporary(numpy::BinaryInTemporary, numpy::UnaryInTemporary), true);
  static_cast<void>(installed);
  switch (fallback::StepInstruction(frame_, *code_, pc_, &next, &result_)) {
    case fallback::StepOutcome::kNext:
      jump_ = next <= pc_ && code_->At(pc_).JumpsBack() ? pc_ : kNoJump;
      pc_ = next;
      // A debugger or profiler that was switched on meanwhile gets its events from CPython.
      return IsTracing(frame_.thread()) ? Progress::kGiveUp : Progress::kAdvanced;
    case fallback::StepOutcome::kReturned:
      return Progress::kReturned;
    case fallback::StepOutcome::kRaised:
      return Progress::kRaised;
    case fallback::StepOutcome::kReraised:
      return Progress::kReraised;
    case fallback::StepOutcome::kInterrupted:
      pc_ = next;
      return Progress::kInterrupted;
    case fallback::StepOutcome::kUnhandled:
      break;
  }
  return Progress::kGiveUp;
}

bool SegmentRunner::BringsTooLittle() const {
  return policy_.may_give_up && profile_.cost_ledger.IsGreatLoss();
}

bool SegmentRunner::IsOnlyHeldUp() const {
  return policy_.may_give_up && held_up_ && profile_.operations_run == 0;
}

// Code that was not traced for lack of time has had no chance to bring anything: it is tried again.
// Other code is left alone, its later frames are not even taken.
SegmentRunner::Progress SegmentRunner::LeaveToCPython() {
  if (held_up_) {
    profile_.wait.Begin();
    profile_.cost_ledger = {};
  } else {
    profile_.unprofitable = true;
  }
  return Progress::kGiveUp;
}

}  // namespace dynacc::capture
