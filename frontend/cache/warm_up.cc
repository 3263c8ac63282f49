#include "frontend/cache/warm_up.h"

#include "absl/strings/numbers.h"
#include "frontend/cache/trace_budget.h"
#include "runtime/base/clock.h"
#include "runtime/base/options.h"

namespace dynacc {

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

}  // namespace dynacc
