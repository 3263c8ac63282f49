#include "frontend/frame/trace_budget.h"

#include <ctime>

namespace dynacc {
namespace {

constexpr int64_t kBetweenRefills = 500'000;

int64_t Nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace

int64_t NowNanoseconds() { return Nanoseconds(CLOCK_MONOTONIC); }

TraceBudget& TheTraceBudget() {
  static TraceBudget budget;
  return budget;
}

bool TraceBudget::Refill() {
  const int64_t now = NowNanoseconds();
  if (now < next_refill_) return false;
  next_refill_ = now + kBetweenRefills;
  const int64_t used = Nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  allowed_ = kAtStart + used / kShareOfTime + saved_ / kShareOfSavings;
  return spent_ < allowed_;
}

}  // namespace dynacc
