#include "frontend/cache/trace_budget.h"

#include "runtime/base/clock.h"

namespace dynacc {
namespace {

constexpr int64_t kBetweenRefills = 500'000;

}  // namespace

TraceBudget& TheTraceBudget() {
  static TraceBudget budget;
  return budget;
}

bool TraceBudget::Refill() {
  const int64_t now = NowNanoseconds();
  if (now < next_refill_) return false;
  next_refill_ = now + kBetweenRefills;
  const int64_t used = ClockNanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  allowed_ = kAtStart + used / kShareOfTime + saved_ / kShareOfSavings;
  return spent_ < allowed_;
}

}  // namespace dynacc
