// Whether a rival is faster, by runs that this test makes up.
#include "frontend/cache/rival_trial.h"

#include <functional>
#include <random>

#include "gtest/gtest.h"

namespace dynacc::cache {
namespace {

struct Outcome {
  bool is_better = false;
  int runs = 0;
  int rivals_runs = 0;
};

// `take`: what a run takes, by its number and whether it is the rival's.
Outcome Try(const std::function<double(int, bool)>& take) {
  RivalTrial trial;
  Outcome outcome;
  while (!trial.is_over()) {
    const bool is_rivals = trial.IsRivalsTurn();
    outcome.rivals_runs += is_rivals;
    trial.Note(is_rivals, static_cast<int64_t>(take(outcome.runs++, is_rivals)));
  }
  outcome.is_better = trial.RivalIsBetter();
  return outcome;
}

TEST(RivalTrialTest, FasterIsBetter) {
  const Outcome outcome = Try([](int, bool rival) { return rival ? 80'000 : 100'000; });
  EXPECT_TRUE(outcome.is_better);
  EXPECT_EQ(outcome.runs, 2 * RivalTrial::kPairs);
  EXPECT_EQ(outcome.rivals_runs, RivalTrial::kPairs);
}

TEST(RivalTrialTest, TheMarginCounts) {
  EXPECT_FALSE(Try([](int, bool rival) { return rival ? 97'000 : 100'000; }).is_better);
  EXPECT_FALSE(Try([](int, bool) { return 100'000; }).is_better);
}

TEST(RivalTrialTest, MuchSlowerGoesSoon) {
  const Outcome outcome = Try([](int, bool rival) { return rival ? 200'000 : 100'000; });
  EXPECT_FALSE(outcome.is_better);
  EXPECT_EQ(outcome.runs, 2 * RivalTrial::kFirstPairs);
}

TEST(RivalTrialTest, NoiseIsNoGain) {
  std::mt19937 random(1);
  const auto noisy = [&](double least) { return least * (1 + (random() % 1000) / 1000.0); };
  for (int i = 0; i < 200; ++i) {
    EXPECT_FALSE(Try([&](int, bool) { return noisy(100'000); }).is_better);
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(Try([&](int, bool rival) { return noisy(rival ? 50'000 : 100'000); }).is_better);
  }
}

// Whatever the rhythm in which a program's sizes change: they say nothing about either graph.
TEST(RivalTrialTest, SizesInARhythm) {
  for (int period = 2; period <= 8; ++period) {
    for (int large = 1; large < (1 << period) - 1; ++large) {
      const auto take = [&](int run, bool) {
        return (large >> run % period) & 1 ? 300'000 : 100'000;
      };
      EXPECT_FALSE(Try(take).is_better) << large << " of " << period;
    }
  }
}

TEST(RivalTrialTest, OnlyTheNextRunCounts) {
  RivalTrial trial;
  for (int i = 0; i < 1000 && !trial.is_over(); ++i) {
    trial.Note(!trial.IsRivalsTurn(), 1);
    const bool is_rivals = trial.IsRivalsTurn();
    trial.Note(is_rivals, is_rivals ? 100'000 : 50'000);
  }
  EXPECT_TRUE(trial.is_over());
  EXPECT_FALSE(trial.RivalIsBetter());
  EXPECT_NEAR(trial.Ratio(), 2, 0.01);
}

}  // namespace
}  // namespace dynacc::cache
