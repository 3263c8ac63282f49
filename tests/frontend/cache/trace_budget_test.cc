#include <ctime>

#include "frontend/cache/tracing_time.h"
#include "gtest/gtest.h"
#include "runtime/base/clock.h"

namespace dynacc::cache {
namespace {

// The budget asks for the processor time at most twice a millisecond.
void LetRefill() {
  const int64_t start = NowNanoseconds();
  while (NowNanoseconds() - start < 1'000'000) {
  }
}

int64_t ProcessorTime() {
  return static_cast<int64_t>(std::clock()) * (1'000'000'000 / CLOCKS_PER_SEC);
}

TEST(TraceBudget, IsAShareOfTheTimeUsed) {
  TraceBudget budget;
  EXPECT_TRUE(budget.Allows());
  budget.Spend(TraceBudget::kAtStart - 1);
  EXPECT_TRUE(budget.Allows());
  budget.Spend(1);
  LetRefill();
  EXPECT_TRUE(budget.Allows()) << "the process has used some processor time";
  budget.Spend(ProcessorTime() / TraceBudget::kShareOfTime + 100'000'000);
  LetRefill();
  EXPECT_FALSE(budget.Allows());
}

TEST(TraceBudget, GrowsWithWhatTracesSave) {
  TraceBudget budget;
  const int64_t too_much = 1'000'000'000;
  budget.Spend(too_much);
  LetRefill();
  EXPECT_FALSE(budget.Allows());
  budget.Earn(too_much * TraceBudget::kShareOfSavings);
  LetRefill();
  EXPECT_TRUE(budget.Allows());
}

TEST(TraceWait, LastsUntilTheBudgetAllowsTraces) {
  TraceWait wait;
  EXPECT_FALSE(wait.IsOn());
  const int64_t too_much = 1'000'000'000;
  TheTraceBudget().Spend(too_much);
  LetRefill();
  wait.Begin();
  EXPECT_TRUE(wait.IsOn());
  TheTraceBudget().Earn(too_much * TraceBudget::kShareOfSavings);
  LetRefill();
  EXPECT_FALSE(wait.IsOn());
}

TEST(TraceWait, EndsForLoopsOfShortRounds) {
  TraceWait wait;
  wait.Begin();
  const int most = TraceWait::kMostSpent / TraceWait::kRound;
  int rounds = 1;
  while (wait.AffordsRound() && rounds < 100 * most) ++rounds;
  EXPECT_GE(rounds, most);
  EXPECT_LT(rounds, 100 * most);
}

TEST(TraceWait, GoesOnForLoopsOfLongRounds) {
  TraceWait wait;
  wait.Begin();
  const int most = TraceWait::kMostSpent / TraceWait::kRound;
  for (int round = 0; round < 2 * most; ++round) {
    const int64_t start = NowNanoseconds();
    while (NowNanoseconds() - start < TraceWait::kRound * TraceWait::kShareOfTime) {
    }
    ASSERT_TRUE(wait.AffordsRound()) << round;
  }
}

TEST(WarmUp, IsOverWhenTheCodeHasRunForLongEnough) {
  WarmUp warm_up;
  EXPECT_FALSE(warm_up.IsOver());
  warm_up.Add(WarmUp::kNeeded - 1);
  EXPECT_FALSE(warm_up.IsOver());
  EXPECT_TRUE(warm_up.IsOverAfter(1));
  warm_up.Add(1);
  EXPECT_TRUE(warm_up.IsOver());
}

TEST(WarmUp, TracesDoNotCount) {
  const WarmUpClock clock;
  TheTraceBudget().Spend(3'600'000'000'000);  // an hour
  EXPECT_LT(clock.Elapsed(), 0);
}

}  // namespace
}  // namespace dynacc::cache
