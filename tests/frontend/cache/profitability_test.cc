#include "frontend/cache/profitability.h"

#include "frontend/frame/cost_ledger.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynacc::cache {
namespace {

using Turn = ProfitabilityTest::Turn;

// Visits until the trial is decided; what each is, as letters.
std::string Try(ProfitabilityTest& trial, int64_t run, int64_t in_kernels, bool kernels_improve,
                int64_t steps, int operations = 3) {
  std::string turns;
  while (!trial.decided() && turns.size() < 50) {
    switch (trial.Next()) {
      case Turn::kRun:
        turns += 'r';
        break;
      case Turn::kTimedRun:
        turns += 'R';
        trial.NoteRun(run, in_kernels, kernels_improve, operations);
        break;
      case Turn::kTimedSteps:
        turns += 'S';
        if (steps > 0) trial.NoteSteps(steps, /*steps=*/10);
        break;
    }
  }
  return turns;
}

TEST(ProfitabilityTest, SlowerRunLoses) {
  ProfitabilityTest trial;
  EXPECT_EQ(Try(trial, 1500, 0, false, 800), "rrRRRSSS");
  EXPECT_TRUE(trial.loses());
  EXPECT_EQ(trial.Saving(1), ProfitabilityTest::ByCPython(800, 10) - 1500 - kVisitNanoseconds);
}

TEST(ProfitabilityTest, QuickerRunSavesWhatCPythonNeedsMore) {
  ProfitabilityTest trial;
  Try(trial, 1000, 0, false, 5000);
  EXPECT_FALSE(trial.loses());
  EXPECT_EQ(trial.Saving(1), ProfitabilityTest::ByCPython(5000, 10) - 1000 - kVisitNanoseconds);
}

TEST(ProfitabilityTest, LibraryLoopsCountHalf) {
  ProfitabilityTest trial;
  Try(trial, 1500, 1000, true, 1100);
  EXPECT_FALSE(trial.loses());
}

TEST(ProfitabilityTest, LeastTimesCount) {
  ProfitabilityTest trial;
  while (trial.Next() != Turn::kTimedRun) {
  }
  for (const int64_t run : {90000, 1000, 5000}) trial.NoteRun(run, 0, false, 3);
  for (const int64_t steps : {70000, 900, 4000}) trial.NoteSteps(steps, 10);
  ASSERT_TRUE(trial.decided());
  EXPECT_TRUE(trial.loses());
}

TEST(ProfitabilityTest, LongRunsAreNotTried) {
  ProfitabilityTest trial;
  EXPECT_EQ(Try(trial, ProfitabilityTest::kLongestTried + 1, 0, false, 1), "rrRRR");
  EXPECT_FALSE(trial.loses());
  EXPECT_EQ(trial.Saving(3), 3 * kOperationNanoseconds);
}

TEST(ProfitabilityTest, LongRunsOfManyOperationsAreTried) {
  ProfitabilityTest trial;
  EXPECT_EQ(Try(trial, 280'000, 0, false, 110'000, /*operations=*/160), "rrRRRSSS");
  EXPECT_TRUE(trial.loses());
  ProfitabilityTest of_large_arrays;
  EXPECT_EQ(Try(of_large_arrays, 280'000, 0, false, 110'000, /*operations=*/20), "rrRRR");
}

TEST(ProfitabilityTest, LongInstructionsAreTimedOnce) {
  ProfitabilityTest trial;
  EXPECT_EQ(Try(trial, 100'000, 0, false, 2'000'000), "rrRRRS");
}

TEST(ProfitabilityTest, StepsThatNeverArriveEndIt) {
  ProfitabilityTest trial;
  EXPECT_EQ(Try(trial, 1000, 0, false, /*steps=*/0), "rrRRRSSSSSSSSSSSSr");
  EXPECT_FALSE(trial.loses());
}

TEST(ProfitabilityTest, OtherKernelsAreTimedAgain) {
  ProfitabilityTest trial;
  Try(trial, 1500, 0, false, 800);
  trial.RestartRuns();
  EXPECT_EQ(Try(trial, 300, 0, false, 1), "rrRRR");
  EXPECT_FALSE(trial.loses());
}

// Visits until the next later round is over.
std::string TryLater(ProfitabilityTest& trial, const std::vector<int64_t>& runs,
                     const std::vector<int64_t>& steps) {
  std::string turns;
  size_t run = 0, step = 0;
  while (step < steps.size()) {
    switch (trial.Next()) {
      case Turn::kRun:
        if (trial.in_later_round()) ADD_FAILURE() << "a plain run in a round";
        break;
      case Turn::kTimedRun:
        turns += 'R';
        trial.NoteRun(runs[run++], 0, false, 3);
        break;
      case Turn::kTimedSteps:
        turns += 'S';
        trial.NoteSteps(steps[step++], /*steps=*/10);
        break;
    }
  }
  return turns;
}

TEST(ProfitabilityTest, LaterRoundsCountInstead) {
  ProfitabilityTest trial;
  Try(trial, 1000, 0, false, 5000);
  ASSERT_FALSE(trial.loses());
  // The first steps of a round are cold.
  EXPECT_EQ(TryLater(trial, {9000, 1500, 1400}, {9000, 9000, 9000, 9000, 100, 800, 900}),
            "RRRSSSSSSS");
  EXPECT_TRUE(trial.loses());
  EXPECT_EQ(trial.Saving(1), ProfitabilityTest::ByCPython(800, 10) - 1500 - kVisitNanoseconds);
  // The average of two rounds.
  TryLater(trial, {500, 500, 500}, {9000, 9000, 9000, 9000, 2000, 2000, 2000});
  EXPECT_FALSE(trial.loses());
  EXPECT_EQ(trial.Saving(1), ProfitabilityTest::ByCPython(1400, 10) - 1000 - kVisitNanoseconds);
}

TEST(ProfitabilityTest, ALaterRoundThatNeverArrivesChangesNothing) {
  ProfitabilityTest trial;
  Try(trial, 1000, 0, false, 5000);
  TryLater(trial, {500, 500, 500}, {900, 900, 900, 900, 900, 900, 900});
  const std::string before = trial.Describe();
  EXPECT_EQ(before, "takes 500 ns, 10 instructions 900 ns");
  for (int visit = 0; visit < 1'000'000; ++visit) {
    if (trial.Next() == Turn::kTimedRun) trial.NoteRun(100, 0, false, 3);
  }
  EXPECT_EQ(trial.Describe(), before);
  EXPECT_FALSE(trial.in_later_round());
}

TEST(ProfitabilityTest, LaterRoundsEnd) {
  ProfitabilityTest trial;
  Try(trial, 1000, 0, false, 5000);
  for (int round = 0; round < ProfitabilityTest::kLaterRounds; ++round) {
    TryLater(trial, {500, 500, 500}, {900, 900, 900, 900, 900, 900, 900});
  }
  for (int visit = 0; visit < 10'000'000; ++visit) ASSERT_EQ(trial.Next(), Turn::kRun);
}

TEST(CostLedger, IsAGreatLossBeyondTheSavings) {
  frame::CostLedger cost_ledger;
  cost_ledger.Add(50'000);
  cost_ledger.Add(-50'000 - frame::CostLedger::kMostLost);
  EXPECT_FALSE(cost_ledger.IsGreatLoss());
  cost_ledger.Add(-1);
  EXPECT_TRUE(cost_ledger.IsGreatLoss());
}

TEST(CostLedger, ForgetsOldSavings) {
  frame::CostLedger cost_ledger;
  for (int i = 0; i < 1000; ++i) cost_ledger.Add(1'000'000);  // a second
  int64_t lost = 0;
  while (!cost_ledger.IsGreatLoss() && lost < 2'000'000'000) {
    cost_ledger.Add(-100'000);
    lost += 100'000;
  }
  EXPECT_LT(lost, 200'000'000);
}

}  // namespace
}  // namespace dynacc::cache
