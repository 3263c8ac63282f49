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

// Of each part that was timed by itself, and at last of the whole.
using Comparisons = std::vector<Comparison>;

Comparison CompareTimes(const std::vector<double>& ratios) {
  const auto faster = absl::c_count_if(ratios, [](double ratio) { return ratio < 1; });
  const double median = Median(ratios);
  return {median, median < 1 - kMargin && 4 * faster >= 3 * static_cast<int64_t>(ratios.size())};
}

std::string Rounded(double ratio) { return absl::StrCat(std::round(1000 * ratio) / 1000); }

enum class TimedBy : uint8_t { kWhole, kParts };

class Tuner {
 public:
  Tuner(CandidateMaker make, const TunerSettings& settings) : make_(make), settings_(settings) {}

  absl::StatusOr<Tuned> Run() {
    const int64_t start = settings_.now();
    DYNACC_ASSIGN_OR_RETURN(usual_, Make(Choice()));
    DYNACC_RETURN_IF_ERROR(Warm(usual_));
    best_ = usual_;
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

  absl::StatusOr<Candidate> Make(const Choice& choice) const {
    return std::move(make_(absl::MakeConstSpan(&choice, 1)).front());
  }

  // Runs it for the first times, and learns how often a turn runs it.
  absl::Status Warm(const Candidate& candidate) {
    DYNACC_RETURN_IF_ERROR(candidate.run());
    const int64_t start = settings_.now();
    DYNACC_RETURN_IF_ERROR(candidate.run());
    nanoseconds_ = std::max<int64_t>(settings_.now() - start, 1);
    return absl::OkStatus();
  }

  // The times of its parts, if they are asked for, and the whole's. The first runs of a turn still
  // feel the candidate before, and do not count.
  absl::StatusOr<std::vector<double>> Turn(const Candidate& candidate, TimedBy by) const {
    const int64_t runs = std::clamp<int64_t>(kTurn / nanoseconds_, 1, 1000);
    for (int64_t i = 0; i < runs / 3; ++i) DYNACC_RETURN_IF_ERROR(candidate.run());
    std::vector<int64_t> sums(by == TimedBy::kParts ? candidate.parts.size() : 0);
    const int64_t start = settings_.now();
    for (int64_t i = 0; i < runs; ++i) {
      DYNACC_RETURN_IF_ERROR(by == TimedBy::kParts ? candidate.run_parts(absl::MakeSpan(sums))
                                                   : candidate.run());
    }
    sums.push_back(settings_.now() - start);
    std::vector<double> times;
    for (const int64_t sum : sums) {
      times.push_back(std::max(static_cast<double>(sum), 1.0) / static_cast<double>(runs));
    }
    return times;
  }

  // Compares all others with the first. Every second round goes the other way round.
  absl::StatusOr<std::vector<Comparisons>> Compare(const std::vector<const Candidate*>& candidates,
                                                   TimedBy by = TimedBy::kWhole,
                                                   int64_t times_as_many = 1) const {
    const auto count = static_cast<int64_t>(candidates.size());
    const int64_t turn = std::max(kTurn, nanoseconds_);
    const int64_t rounds =
        times_as_many * std::clamp<int64_t>(kComparison / (turn * count), kFewestRounds, kRounds);
    const size_t timed = by == TimedBy::kParts ? candidates[0]->parts.size() + 1 : 1;
    std::vector<std::vector<std::vector<double>>> ratios(candidates.size(),
                                                         std::vector<std::vector<double>>(timed));
    std::vector<std::vector<double>> times(candidates.size());
    for (int64_t round = 0; round < rounds; ++round) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t k = round % 2 == 0 ? i : count - 1 - i;
        DYNACC_ASSIGN_OR_RETURN(times[k], Turn(*candidates[k], by));
      }
      for (int64_t k = 0; k < count; ++k) {
        for (size_t i = 0; i < timed; ++i) ratios[k][i].push_back(times[k][i] / times[0][i]);
      }
    }
    std::vector<Comparisons> comparisons;
    for (const auto& of_candidate : ratios) {
      Comparisons& made = comparisons.emplace_back();
      for (const std::vector<double>& row : of_candidate) made.push_back(CompareTimes(row));
    }
    return comparisons;
  }

  // The choices that differ from the best one so far in the knob's value. One that cannot be made
  // or run, or comes to what is there, is no candidate.
  std::vector<Tried> OthersOf(Knob knob) const {
    std::vector<Choice> choices;
    for (const int value : Knobs()[static_cast<int>(knob)].values) {
      if (value == best_choice_.Get(knob)) continue;
      choices.push_back(best_choice_);
      choices.back().Set(knob, value);
    }
    std::vector<absl::StatusOr<Candidate>> made = make_(choices);
    std::vector<Tried> others;
    for (size_t i = 0; i < made.size(); ++i) {
      const bool is_new = made[i].ok() && made[i]->code != best_.code;
      const bool is_rule = Knobs()[static_cast<int>(knob)].is_rule;
      if (!is_new || (!is_rule && made[i]->parts != best_.parts) || !made[i]->run().ok()) continue;
      others.push_back({choices[i], *std::move(made[i])});
    }
    return others;
  }

  void Try(Knob knob) {
    std::vector<Tried> tried = OthersOf(knob);
    if (tried.empty()) return;
    const bool by_parts = !Knobs()[static_cast<int>(knob)].is_rule && best_.parts.size() > 1;
    const TimedBy by = by_parts ? TimedBy::kParts : TimedBy::kWhole;
    std::vector<const Candidate*> candidates = {&best_};
    for (const Tried& one : tried) candidates.push_back(&one.candidate);
    const absl::StatusOr<std::vector<Comparisons>> comparisons = Compare(candidates, by);
    if (!comparisons.ok()) return;
    for (size_t i = 0; i < tried.size(); ++i) Note(tried[i].choice, (*comparisons)[i + 1]);
    if (by_parts) {
      Combine(knob, tried, *comparisons);
    } else if (const size_t winner = WinnerOf(*comparisons, 0); winner > 0) {
      Take(std::move(tried[winner - 1]));
    }
  }

  // Counts the candidate and logs what came of it.
  void Note(const Choice& choice, const Comparisons& comparisons) {
    ++tuned_.candidates;
    std::string line = absl::StrCat(choice.ToText(), ": ", Rounded(comparisons.back().ratio),
                                    " of the time of ", best_choice_.ToText());
    for (size_t part = 0; part + 1 < comparisons.size(); ++part) {
      if (!comparisons[part].is_better) continue;
      absl::StrAppend(&line, ", ", Rounded(comparisons[part].ratio), " in group ",
                      best_.parts[part].first_group);
    }
    settings_.log(line);
  }

  // Which is better than the first by most in a part; 0: none.
  static size_t WinnerOf(const std::vector<Comparisons>& comparisons, size_t part) {
    size_t winner = 0;
    for (size_t i = 1; i < comparisons.size(); ++i) {
      const Comparison& one = comparisons[i][part];
      if (one.is_better && one.ratio < comparisons[winner][part].ratio) winner = i;
    }
    return winner;
  }

  // Takes for each part the value that is best there, if all of it together is no slower.
  void Combine(Knob knob, std::vector<Tried>& tried, const std::vector<Comparisons>& comparisons) {
    const std::vector<Part>& parts = best_.parts;
    std::vector<size_t> winners;
    for (size_t part = 0; part < parts.size(); ++part) {
      winners.push_back(WinnerOf(comparisons, part));
    }
    if (absl::c_all_of(winners, [](size_t winner) { return winner == 0; })) return;
    if (absl::c_all_of(winners, [&](size_t winner) { return winner == winners[0]; })) {
      TakeIfNoSlower(std::move(tried[winners[0] - 1]));
      return;
    }
    Choice choice = best_choice_;
    for (size_t part = 0; part < parts.size(); ++part) {
      if (winners[part] == 0) continue;
      const int value = tried[winners[part] - 1].choice.Get(knob);
      for (int group = parts[part].first_group; group <= parts[part].last_group; ++group) {
        choice.SetOf(group, knob, value);
      }
    }
    absl::StatusOr<Candidate> made = Make(choice);
    if (made.ok() && made->run().ok()) TakeIfNoSlower({choice, *std::move(made)});
  }

  void TakeIfNoSlower(Tried one) {
    const absl::StatusOr<std::vector<Comparisons>> comparisons = Compare({&best_, &one.candidate});
    if (!comparisons.ok()) return;
    Note(one.choice, (*comparisons)[1]);
    if ((*comparisons)[1].back().ratio < 1) Take(std::move(one));
  }

  void Take(Tried one) {
    best_choice_ = std::move(one.choice);
    best_ = std::move(one.candidate);
  }

  void Confirm() {
    if (best_choice_ == Choice()) return;
    const absl::StatusOr<std::vector<Comparisons>> last =
        Compare({&usual_, &best_}, TimedBy::kWhole, kConfirmations);
    if (!last.ok() || !(*last)[1].back().is_better) return;
    tuned_.choice = best_choice_;
    tuned_.gain = 1 / (*last)[1].back().ratio;
  }

  const CandidateMaker make_;
  const TunerSettings& settings_;
  Candidate usual_, best_;
  Choice best_choice_;
  int64_t nanoseconds_ = 1;  // of one run of the usual choice
  Tuned tuned_;
};

}  // namespace

absl::StatusOr<Tuned> Tune(CandidateMaker make, const TunerSettings& settings) {
  return Tuner(make, settings).Run();
}

}  // namespace dynacc::tuning
