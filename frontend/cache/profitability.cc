#include "frontend/cache/profitability.h"

#include "absl/strings/str_cat.h"
#include "runtime/executor/measure.h"

namespace dynacc::cache {
namespace {

// Whether a run is so much quicker that steps need not be timed again: the first are cold, but not
// by that much, and long enough to be noticed.
constexpr bool IsClear(int64_t run, int64_t steps) { return steps > 500'000 && steps > 4 * run; }

int64_t LongestTried(int operations) {
  if (executor::IsMeasuring()) return ProfitabilityTest::kLongestMeasured;
  return std::max(ProfitabilityTest::kLongestTried,
                  operations * ProfitabilityTest::kLongestOperation);
}

}  // namespace

ProfitabilityTest::Turn ProfitabilityTest::Next() {
  if (decided_ && !in_later_round_ && !StartsLaterRound()) return Turn::kRun;
  if (runs_before_ < kRunsBefore) {
    ++runs_before_;
    return Turn::kRun;
  }
  if (timed_runs_ < kSamples) return Turn::kTimedRun;
  if (++stepped_ <= kMostStepped) return Turn::kTimedSteps;
  decided_ = true;
  in_later_round_ = false;
  never_ends_ = true;
  return Turn::kRun;
}

bool ProfitabilityTest::StartsLaterRound() {
  if (!measured_ || never_ends_ || later_rounds_ == kLaterRounds) return false;
  if (++visits_ < visits_between_) return false;
  visits_ = 0;
  visits_between_ *= kLaterApart;
  timed_runs_ = timed_steps_ = stepped_ = 0;
  return in_later_round_ = true;
}

void ProfitabilityTest::NoteRun(int64_t nanoseconds, int64_t in_kernels, bool kernels_improve,
                                int operations) {
  // Compiled kernels need half of the library loops' time, or less.
  const int64_t expected = nanoseconds - (kernels_improve ? in_kernels / 2 : 0);
  least_run_ = std::min(least_run_, expected);
  if (in_later_round_) {
    runs_.of_round[timed_runs_++] = expected;
    return;
  }
  if (++timed_runs_ < kSamples) return;
  if (measured_) {
    Judge(least_run_, least_steps_);
  } else {
    decided_ = is_long_ = least_run_ > LongestTried(operations);
  }
}

void ProfitabilityTest::NoteSteps(int64_t nanoseconds, int64_t steps) {
  least_steps_ = std::min(least_steps_, nanoseconds);
  num_steps_ = steps;
  if (in_later_round_ && stepped_ <= kStepsBefore) return;
  if (in_later_round_) {
    steps_.of_round[timed_steps_++] = nanoseconds;
    if (timed_steps_ == kSamples) EndLaterRound();
    return;
  }
  const bool is_clear = IsClear(least_run_, least_steps_) && !executor::IsMeasuring();
  if (++timed_steps_ == kSamples || is_clear) Judge(least_run_, least_steps_);
}

void ProfitabilityTest::EndLaterRound() {
  in_later_round_ = false;
  ++later_rounds_;
  for (Times* times : {&runs_, &steps_}) {
    const auto middle = times->of_round.begin() + kSamples / 2;
    std::nth_element(times->of_round.begin(), middle, times->of_round.end());
    times->sum += *middle;
  }
  Judge(runs_.sum / later_rounds_, steps_.sum / later_rounds_);
}

void ProfitabilityTest::RestartRuns() {
  if (!measured_) return;
  decided_ = false;
  runs_before_ = 0;
  timed_runs_ = 0;
  least_run_ = kNever;
  in_later_round_ = false;
  later_rounds_ = 0;
  visits_ = 0;
  visits_between_ = kVisitsBeforeLater;
  runs_.sum = steps_.sum = 0;
}

std::string ProfitabilityTest::Describe() const {
  const auto times = [this](int64_t run, int64_t steps) {
    return absl::StrCat("takes ", run, " ns, ", num_steps_, " instructions ", steps, " ns");
  };
  if (later_rounds_ > 0) {
    return times(runs_.sum / later_rounds_, steps_.sum / later_rounds_);
  }
  if (measured_) return times(least_run_, least_steps_);
  return absl::StrCat(
      "takes ", least_run_, " ns, ",
      is_long_ ? "too long to try its instructions" : "its instructions never came to its end");
}

void ProfitabilityTest::Judge(int64_t run, int64_t steps) {
  decided_ = measured_ = true;
  saving_ = ByCPython(steps, num_steps_) - (run + kVisitNanoseconds);
  loses_ = run > steps;
}

}  // namespace dynacc::cache
