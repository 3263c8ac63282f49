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
  if (decided_) return Turn::kRun;
  if (runs_before_ < kRunsBefore) {
    ++runs_before_;
    return Turn::kRun;
  }
  if (timed_runs_ < kSamples) return Turn::kTimedRun;
  decided_ = ++stepped_ > kMostStepped;
  return decided_ ? Turn::kRun : Turn::kTimedSteps;
}

void ProfitabilityTest::NoteRun(int64_t nanoseconds, int64_t in_kernels, bool kernels_improve,
                                int operations) {
  // Compiled kernels need half of the library loops' time, or less.
  const int64_t expected = nanoseconds - (kernels_improve ? in_kernels / 2 : 0);
  least_run_ = std::min(least_run_, expected);
  if (++timed_runs_ < kSamples) return;
  if (measured_) {
    Decide();
  } else {
    decided_ = is_long_ = least_run_ > LongestTried(operations);
  }
}

void ProfitabilityTest::NoteSteps(int64_t nanoseconds, int64_t steps) {
  least_steps_ = std::min(least_steps_, nanoseconds);
  num_steps_ = steps;
  const bool is_clear = IsClear(least_run_, least_steps_) && !executor::IsMeasuring();
  if (++timed_steps_ == kSamples || is_clear) Decide();
}

void ProfitabilityTest::RestartRuns() {
  if (!measured_) return;
  decided_ = false;
  runs_before_ = 0;
  timed_runs_ = 0;
  least_run_ = kNever;
}

std::string ProfitabilityTest::Describe() const {
  const std::string run = absl::StrCat("takes ", least_run_, " ns, ");
  if (measured_) return absl::StrCat(run, num_steps_, " instructions ", least_steps_, " ns");
  return run +
         (is_long_ ? "too long to try its instructions" : "its instructions never came to its end");
}

void ProfitabilityTest::Decide() {
  decided_ = measured_ = true;
  saving_ = ByCPython(least_steps_, num_steps_) - (least_run_ + kVisitNanoseconds);
  loses_ = least_run_ > least_steps_;
}

}  // namespace dynacc::cache
