#include "codegen/tuning/tuner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tuning {
namespace {

constexpr int kRounds = 11;
constexpr int kFewestRounds = 5;
constexpr int kConfirmations = 3;  // so many times the rounds, at the end
// The time of one candidate in one round: long beside the clock's steps, and enough for threads to
// be awake or asleep as they are where the program runs nothing else (thread_pool.h).
constexpr int64_t kTurn = 1'500'000;
// That of all turns of a comparison. Where one run is longer there are fewer rounds.
constexpr int64_t kComparison = 400'000'000;

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// How a candidate's times compare with another's, round by round.
struct Comparison {
  double ratio = 1;  // the median
  bool is_better = false;
};

class Tuner {
 public:
  Tuner(absl::FunctionRef<absl::StatusOr<Candidate>(const Choice&)> make,
        const TunerSettings& settings)
      : make_(make), settings_(settings) {}

  absl::StatusOr<Tuned> Run() {
    const int64_t start = settings_.now();
    Choice usual;
    DYNACC_ASSIGN_OR_RETURN(Candidate first, make_(usual));
    DYNACC_RETURN_IF_ERROR(Warm(first));
    usual_ = best_ = std::move(first);
    for (size_t i = 0; i < Knobs().size() && settings_.now() - start < settings_.budget; ++i) {
      if (Knobs()[i].when == KnobScope::kFastMath && !settings_.fast_math) continue;
      Try(static_cast<Knob>(i));
    }
    Confirm();
    return tuned_;
  }

 private:
  struct Tried {
    Choice choice;
    Candidate candidate;
  };

  // Runs it for the first times, and learns how often a turn runs it.
  absl::Status Warm(const Candidate& candidate) {
    DYNACC_RETURN_IF_ERROR(candidate.run());
    const int64_t start = settings_.now();
    DYNACC_RETURN_IF_ERROR(candidate.run());
    nanoseconds_ = std::max<int64_t>(settings_.now() - start, 1);
    return absl::OkStatus();
  }

  // The first runs of a turn still feel the candidate before, and do not count.
  absl::StatusOr<double> Turn(const Candidate& candidate) const {
    const int64_t runs = std::clamp<int64_t>(kTurn / nanoseconds_, 1, 1000);
    for (int64_t i = 0; i < runs / 3; ++i) DYNACC_RETURN_IF_ERROR(candidate.run());
    const int64_t start = settings_.now();
    for (int64_t i = 0; i < runs; ++i) DYNACC_RETURN_IF_ERROR(candidate.run());
    return static_cast<double>(settings_.now() - start) / static_cast<double>(runs);
  }

  // Compares all others with the first. Every second round goes the other way round.
  absl::StatusOr<std::vector<Comparison>> Compare(const std::vector<const Candidate*>& candidates,
                                                  int64_t times_as_many = 1) const {
    const auto count = static_cast<int64_t>(candidates.size());
    const int64_t turn = std::max(kTurn, nanoseconds_);
    const int64_t rounds =
        times_as_many * std::clamp<int64_t>(kComparison / (turn * count), kFewestRounds, kRounds);
    std::vector<std::vector<double>> ratios(candidates.size());
    std::vector<double> times(candidates.size());
    for (int64_t round = 0; round < rounds; ++round) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t k = round % 2 == 0 ? i : count - 1 - i;
        DYNACC_ASSIGN_OR_RETURN(times[k], Turn(*candidates[k]));
      }
      for (int64_t k = 0; k < count; ++k) ratios[k].push_back(times[k] / times[0]);
    }
    std::vector<Comparison> comparisons;
    for (const std::vector<double>& row : ratios) {
      const auto faster = absl::c_count_if(row, [](double ratio) { return ratio < 1; });
      Comparison& made = comparisons.emplace_back();
      made.ratio = Median(row);
      made.is_better = made.ratio < 1 - kMargin && 4 * faster >= 3 * rounds;
    }
    return comparisons;
  }

  // A choice that cannot be made or run, or comes to what is there, is no candidate.
  void Try(Knob knob) {
    const KnobInfo& info = Knobs()[static_cast<int>(knob)];
    std::vector<Tried> tried;
    for (const int value : info.values) {
      if (value == best_choice_.Get(knob)) continue;
      Choice choice = best_choice_;
      choice.Set(knob, value);
      absl::StatusOr<Candidate> made = make_(choice);
      if (!made.ok() || made->code == best_.code) continue;
      if (made->run().ok()) tried.push_back({choice, *std::move(made)});
    }
    if (tried.empty()) return;
    std::vector<const Candidate*> candidates = {&best_};
    for (const Tried& one : tried) candidates.push_back(&one.candidate);
    const absl::StatusOr<std::vector<Comparison>> comparisons = Compare(candidates);
    if (!comparisons.ok()) return;
    size_t winner = 0;
    for (size_t i = 0; i < tried.size(); ++i) {
      const Comparison& one = (*comparisons)[i + 1];
      ++tuned_.candidates;
      settings_.log(absl::StrCat(tried[i].choice.ToText(), ": ",
                                 std::round(1000 * one.ratio) / 1000, " of the time of ",
                                 best_choice_.ToText()));
      if (one.is_better && one.ratio < (*comparisons)[winner].ratio) winner = i + 1;
    }
    if (winner == 0) return;
    best_choice_ = tried[winner - 1].choice;
    best_ = std::move(tried[winner - 1].candidate);
  }

  void Confirm() {
    if (best_choice_ == Choice()) return;
    const absl::StatusOr<std::vector<Comparison>> last = Compare({&usual_, &best_}, kConfirmations);
    if (!last.ok() || !(*last)[1].is_better) return;
    tuned_.choice = best_choice_;
    tuned_.gain = 1 / (*last)[1].ratio;
  }

  const absl::FunctionRef<absl::StatusOr<Candidate>(const Choice&)> make_;
  const TunerSettings& settings_;
  Candidate usual_, best_;
  Choice best_choice_;
  int64_t nanoseconds_ = 1;  // of one run of the usual choice
  Tuned tuned_;
};

}  // namespace

absl::StatusOr<Tuned> Tune(absl::FunctionRef<absl::StatusOr<Candidate>(const Choice&)> make,
                           const TunerSettings& settings) {
  return Tuner(make, settings).Run();
}

}  // namespace dynacc::tuning
