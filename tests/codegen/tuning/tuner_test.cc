// The tuner on a clock of its own: what it chooses, and what it is not led to choose.
#include "codegen/tuning/tuner.h"

#include <gmock/gmock.h>
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
  std::map<std::string, double> made_at_;  // by choice
  std::vector<std::string> lines_;

  absl::StatusOr<Tuned> Run(bool fast_math = false, int64_t budget = int64_t{1} << 60) {
    auto make_one = [this](const Choice& choice) -> absl::StatusOr<Candidate> {
      const std::string name = choice.ToText();
      made_at_[name] = now_;
      if (name == impossible_) return absl::UnavailableError("no such candidate");
      Candidate candidate;
      candidate.code = code_.contains(name) ? code_[name] : name;
      candidate.run = [this, name, choice]() -> absl::Status {
        if (name == fails_) return absl::AbortedError("it fails");
        if (num_parts_ == 0) {
          Spend(name);
        } else {
          for (int i = 0; i < num_parts_; ++i) SpendInPart(choice, i, apart_);
        }
        return absl::OkStatus();
      };
      // Each part is a group and the one after it.
      for (int i = 0; i < num_parts_; ++i) candidate.parts.push_back({3 * i, 3 * i + 1});
      candidate.run_parts = [this, choice](absl::Span<int64_t> nanoseconds) -> absl::Status {
        for (int i = 0; i < num_parts_; ++i) {
          const double before = now_;
          SpendInPart(choice, i, 1);
          nanoseconds[i] += static_cast<int64_t>(now_ - before);
        }
        return absl::OkStatus();
      };
      return candidate;
    };
    auto make = [&](absl::Span<const Choice> choices) {
      std::vector<absl::StatusOr<Candidate>> made;
      for (const Choice& choice : choices) made.push_back(make_one(choice));
      return made;
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

  // Of graphs with parts: the share of the usual time that each takes with a value, "unroll=4"; and
  // how many times as much where they are not timed one by one.
  int num_parts_ = 0;
  std::vector<std::map<std::string, double>> takes_in_part_;
  double apart_ = 1;

 private:
  void Spend(const std::string& name) {
    const bool is_fast = !fast_.empty() && name.find(fast_) != std::string::npos;
    Pass(is_fast ? usual_ / 2 : takes_.contains(name) ? takes_[name] : usual_);
  }

  void SpendInPart(const Choice& choice, int part, double times) {
    double share = 1;
    for (int i = 0; i < static_cast<int>(Knobs().size()); ++i) {
      const auto knob = static_cast<Knob>(i);
      const std::string value = absl::StrCat(Knobs()[i].name, "=", choice.Get(knob, 3 * part));
      EXPECT_EQ(choice.Get(knob, 3 * part), choice.Get(knob, 3 * part + 1));
      const auto found = takes_in_part_[part].find(value);
      if (found != takes_in_part_[part].end()) share *= found->second * times;
    }
    Pass(usual_ * share);
  }

  void Pass(double time) {
    const double longer = noise_ * static_cast<double>(random_() % 1000) / 1000;
    now_ += time * slower_ * (1 + longer);
  }

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

// One value for all loses in each case what it wins in the other.
TEST_F(TunerTest, EachPartHasAChoice) {
  num_parts_ = 2;
  takes_in_part_ = {{{"tile=512", 0.5}, {"work=400", 2}}, {{"tile=512", 2}, {"work=400", 0.5}}};
  const absl::StatusOr<Tuned> tuned = Run();
  ASSERT_TRUE(tuned.ok());
  EXPECT_EQ(tuned->choice.ToText(), "work[3-4]=400 tile[0-1]=512");
  EXPECT_NEAR(tuned->gain, 2, 0.01);
  EXPECT_THAT(lines_, ::testing::Contains("work=400: 1.25 of the time of default, 0.5 in group 3"));
}

TEST_F(TunerTest, PartsThatAgreeAreSetTogether) {
  num_parts_ = 2;
  takes_in_part_ = {{{"unroll=4", 0.5}}, {{"unroll=4", 0.6}}};
  EXPECT_EQ(Run()->choice.ToText(), "unroll=4");
}

// What is faster step by step alone is not taken.
TEST_F(TunerTest, TogetherItMustBeNoSlower) {
  num_parts_ = 2;
  takes_in_part_ = {{{"unroll=4", 0.8}}, {}};
  EXPECT_EQ(Run()->choice.ToText(), "unroll[0-1]=4");
  apart_ = 1.5;
  EXPECT_EQ(Run()->choice.ToText(), "default");
}

// Among many parts some look better by chance; together they do not.
TEST_F(TunerTest, NoiseInManyParts) {
  num_parts_ = 12;
  takes_in_part_.resize(12);
  noise_ = 0.3;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Run()->choice.ToText(), "default");
  takes_in_part_[5] = {{"tile=256", 0.1}};
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(Run()->choice.ToText(), ::testing::HasSubstr("tile[15-16]=256"));
  }
}

// Compiles beside a run would disturb its time.
TEST_F(TunerTest, ValuesAreMadeBeforeAnyRuns) {
  ASSERT_TRUE(Run().ok());
  EXPECT_LT(made_at_["default"], made_at_["tile=256"]);
  EXPECT_EQ(made_at_["tile=512"], made_at_["tile=256"]);
  EXPECT_EQ(made_at_["tile=4096"], made_at_["tile=256"]);
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
