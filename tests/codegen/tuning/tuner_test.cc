// The tuner on a clock of its own: what it chooses, and what it is not led to choose.
#include "codegen/tuning/tuner.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "absl/strings/str_cat.h"

namespace dynacc::tuning {
namespace {

class TunerTest : public ::testing::Test {
 protected:
  // The time of a run of each choice that is not as slow as usual.
  std::map<std::string, double> takes_;
  double usual_ = 50'000;
  std::string fast_;        // a value with which all choices take half as long
  double noise_ = 0;        // times are up to so much longer
  double drift_ = 0;        // and each reading of the clock makes all later runs so much longer
  std::string fails_;       // the choice whose runs fail
  std::string impossible_;  // ... that cannot be made
  std::vector<std::string> made_;
  std::vector<std::string> lines_;

  absl::StatusOr<Tuned> Run(bool fast_math = false, int64_t budget = int64_t{1} << 60) {
    auto make = [this](const Choice& choice) -> absl::StatusOr<Candidate> {
      const std::string name = choice.ToText();
      made_.push_back(name);
      if (name == impossible_) return absl::UnavailableError("no such candidate");
      Candidate candidate;
      candidate.code = code_.contains(name) ? code_[name] : name;
      candidate.run = [this, name]() -> absl::Status {
        if (name == fails_) return absl::AbortedError("it fails");
        const bool is_fast = !fast_.empty() && name.find(fast_) != std::string::npos;
        const double time = is_fast ? usual_ / 2 : takes_.contains(name) ? takes_[name] : usual_;
        const double longer = noise_ * static_cast<double>(random_() % 1000) / 1000;
        now_ += time * slower_ * (1 + longer);
        return absl::OkStatus();
      };
      return candidate;
    };
    now_ = 0;
    slower_ = 1;
    auto now = [this] {
      slower_ *= 1 + drift_;
      return static_cast<int64_t>(now_);
    };
    auto log = [this](const std::string& line) { lines_.push_back(line); };
    return Tune(make, {.fast_math = fast_math, .now = now, .budget = budget, .log = log});
  }

  std::map<std::string, std::string> code_;

 private:
  std::mt19937 random_{1};
  double now_ = 0;
  double slower_ = 1;
};

TEST_F(TunerTest, TheUsualStaysWhereNothingIsBetter) {
  const absl::StatusOr<Tuned> tuned = Run();
  ASSERT_TRUE(tuned.ok());
  EXPECT_EQ(tuned->choice.ToText(), "default");
  EXPECT_EQ(tuned->gain, 1);
  EXPECT_GT(tuned->candidates, 5);
  EXPECT_EQ(lines_.size(), tuned->candidates);
}

TEST_F(TunerTest, TheFastestValueIsChosen) {
  takes_ = {{"unroll=2", 40'000}, {"unroll=4", 25'000}};
  const absl::StatusOr<Tuned> tuned = Run();
  ASSERT_TRUE(tuned.ok());
  EXPECT_EQ(tuned->choice.ToText(), "unroll=4");
  EXPECT_NEAR(tuned->gain, 2, 0.01);
}

TEST_F(TunerTest, KnobsAddUp) {
  takes_ = {{"fuse-rows=0", 40'000}, {"fuse-rows=0 unroll=4", 20'000}, {"unroll=4", 60'000}};
  const absl::StatusOr<Tuned> tuned = Run();
  ASSERT_TRUE(tuned.ok());
  EXPECT_EQ(tuned->choice.ToText(), "fuse-rows=0 unroll=4");
  EXPECT_NEAR(tuned->gain, 2.5, 0.01);
}

TEST_F(TunerTest, LessThanTheMarginIsNoReason) {
  takes_ = {{"unroll=2", usual_ * (1 - kMargin / 2)}};
  EXPECT_EQ(Run()->choice.ToText(), "default");
}

// However loud the noise is, what is not faster is not chosen, and what is much faster is.
TEST_F(TunerTest, NoiseAndDrift) {
  noise_ = 0.3;
  drift_ = 0.001;
  for (int i = 0; i < 40; ++i) EXPECT_EQ(Run()->choice.ToText(), "default");
  fast_ = "tile=256";
  for (int i = 0; i < 40; ++i) {
    EXPECT_NE(Run()->choice.ToText().find(fast_), std::string::npos);
  }
}

TEST_F(TunerTest, CandidatesThatFailAreNone) {
  takes_ = {{"unroll=4", 10'000}, {"unroll=2", 20'000}};
  fails_ = "unroll=4";
  EXPECT_EQ(Run()->choice.ToText(), "unroll=2");
  fails_ = "";
  impossible_ = "unroll=4";
  EXPECT_EQ(Run()->choice.ToText(), "unroll=2");
}

TEST_F(TunerTest, ErrorsOfTheUsualAreTheTuners) {
  fails_ = "default";
  EXPECT_EQ(Run().status().code(), absl::StatusCode::kAborted);
  impossible_ = "default";
  EXPECT_EQ(Run().status().code(), absl::StatusCode::kUnavailable);
}

// A rule that finds nothing to fuse leaves the same code, which is not timed.
TEST_F(TunerTest, TheSameCodeIsNotTimed) {
  const int all = Run()->candidates;
  code_["fuse-rows=0"] = "default";
  EXPECT_EQ(Run()->candidates, all - 1);
}

TEST_F(TunerTest, KnobsThatChangeBitsNeedLeave) {
  takes_ = {{"library-matmul=0", 10'000}};
  EXPECT_EQ(Run(/*fast_math=*/false)->choice.ToText(), "default");
  EXPECT_EQ(Run(/*fast_math=*/true)->choice.ToText(), "library-matmul=0");
}

TEST_F(TunerTest, TheBudgetEndsIt) {
  usual_ = 50'000'000;  // a run
  const absl::StatusOr<Tuned> tuned = Run(false, /*budget=*/1'000'000'000);
  ASSERT_TRUE(tuned.ok());
  EXPECT_LT(tuned->candidates, 6);
  EXPECT_GT(tuned->candidates, 0);
}

}  // namespace
}  // namespace dynacc::tuning
