#include "frontend/cache/tracing_time.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "runtime/base/clock.h"
#include "runtime/base/options.h"

namespace dynacc::cache {

namespace {

constexpr int64_t kBetweenRefills = 500'000;

// For a thousand functions or so, each of which takes some 20 us: large programs have as many.
constexpr int64_t kFirstLooks = 20'000'000;

}  // namespace

TraceBudget& TheTraceBudget() {
  static TraceBudget budget;
  return budget;
}

TraceBudget& TheFirstLookBudget() {
  static TraceBudget budget(kFirstLooks);
  return budget;
}

bool TraceBudget::Refill() {
  const int64_t now = NowNanoseconds();
  if (now < next_refill_) return false;
  next_refill_ = now + kBetweenRefills;
  const int64_t used = ClockNanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  allowed_ = at_start_ + used / kShareOfTime + saved_ / kShareOfSavings;
  return spent_ < allowed_;
}

int64_t WarmUp::Needed() {
  static const int64_t needed = [] {
    int64_t microseconds;
    const bool given = absl::SimpleAtoi(ProcessOptions().capture_after, &microseconds);
    return given ? 1000 * microseconds : kNeeded;
  }();
  return needed;
}

WarmUpClock::WarmUpClock() : start_(NowNanoseconds()), spent_before_(TheTraceBudget().spent()) {}

int64_t WarmUpClock::Elapsed() const {
  return NowNanoseconds() - start_ - (TheTraceBudget().spent() - spent_before_);
}

void TraceWait::Begin() {
  waits_ = true;
  last_round_ = NowNanoseconds();
}

bool TraceWait::IsOn() {
  if (waits_ && TheTraceBudget().Allows()) waits_ = false;
  return waits_;
}

bool TraceWait::AffordsRound() {
  const int64_t now = NowNanoseconds();
  const int64_t share = (now - last_round_) / kShareOfTime;
  last_round_ = now;
  spent_ = std::max<int64_t>(spent_ + kRound - share, 0);  // a long round saves nothing up
  return spent_ < kMostSpent;
}

}  // namespace dynacc::cache
