#include "frontend/cache/hot_tuning.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "frontend/cache/entry_inputs.h"
#include "runtime/base/log.h"
#include "runtime/platform/core_load.h"

namespace dynacc::cache {
namespace {

constexpr int kRunsBetweenTimings = 16;

// What runs on an idle thread holds locks now and then, and where no processor is idle it would
// hold them for long.
bool SomeProcessorIsIdle() { return platform::RunnableThreads("") < platform::OnlineCores(); }

}  // namespace

HotTuning::Turn HotTuning::Next(const Entry& entry, absl::Span<const BorrowedRef> slots,
                                const arrays::ArrayNamespace& arrays) {
  if (state_ == State::kCounting && nanoseconds_ >= due_) Start(entry, slots, arrays);
  if (state_ == State::kTuning && job_->done()) TakeRivals();
  Turn turn;
  turn.is_timed = state_ == State::kTrial ||
                  (state_ == State::kCounting && visits_++ % kRunsBetweenTimings == 0);
  turn.trial = trial_number_;
  if (state_ == State::kTrial && trial_.IsRivalsTurn()) turn.rival = rivals_[trial_number_].graph;
  return turn;
}

void HotTuning::Note(Entry& entry, const Turn& turn, int64_t nanoseconds) {
  if (state_ == State::kCounting) nanoseconds_ += nanoseconds * kRunsBetweenTimings;
  if (state_ != State::kTrial || turn.trial != trial_number_) return;
  trial_.Note(turn.rival != nullptr, nanoseconds);
  if (trial_.is_over()) EndTrial(entry);
}

// Where it cannot be now, later.
void HotTuning::CountOn() {
  state_ = State::kCounting;
  due_ = nanoseconds_ + after_;
}

void HotTuning::Start(const Entry& entry, absl::Span<const BorrowedRef> slots,
                      const arrays::ArrayNamespace& arrays) {
  CountOn();
  if (after_ > 0 && !SomeProcessorIsIdle()) return;
  EntryInputs inputs;
  if (!EvaluateEntry(entry, slots, arrays, inputs) || !ReadArrays(entry, slots, arrays, inputs)) {
    return;
  }
  job_ = compile::AutotuneLater(*entry.graph, options_, {inputs.views.data(), inputs.views.size()},
                                {inputs.scalars.data(), inputs.scalars.size()});
  if (job_ != nullptr) state_ = State::kTuning;
}

void HotTuning::TakeRivals() {
  const std::shared_ptr<const compile::TuningJob> job = std::exchange(job_, nullptr);
  if (absl::IsCancelled(job->result().status())) return CountOn();
  if (job->result().ok()) rivals_ = *job->result();
  state_ = rivals_.empty() ? State::kDone : State::kTrial;
  if (!rivals_.empty() || !LogEnabled(LogTopic::kAutotune)) return;
  Log(LogTopic::kAutotune, absl::StrCat(options_.label, ": in the background: ",
                                        job->result().ok() ? "default, nothing better"
                                                           : job->result().status().message()));
}

// The next rival meets what runs then.
void HotTuning::EndTrial(Entry& entry) {
  compile::Rival& rival = rivals_[trial_number_];
  const bool takes = trial_.RivalIsBetter();
  if (LogEnabled(LogTopic::kAutotune)) {
    Log(LogTopic::kAutotune, absl::StrCat(options_.label, ": ", rival.choice, " in the program: ",
                                          std::round(1000 * trial_.Ratio()) / 1000,
                                          " of the time, ", takes ? "taken" : "not taken"));
  }
  if (takes) {
    std::swap(entry.tier.compiled, rival.graph);
    entry.tier.left_out = rival.left_out;
  }
  trial_ = RivalTrial();
  if (++trial_number_ == static_cast<int>(rivals_.size())) state_ = State::kDone;
}

}  // namespace dynacc::cache
