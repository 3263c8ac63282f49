#include "frontend/cache/trace_wait.h"

#include <algorithm>

#include "frontend/cache/trace_budget.h"
#include "runtime/base/clock.h"

namespace dynacc {

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

}  // namespace dynacc
