// Tune: finds by trying which choice makes a graph run fastest.
//
// Knob by knob, the other values of one are compared with the best choice so far, in rounds in each
// of which every candidate runs for a while, so that whatever else the machine does meets them all
// alike. A candidate is better if it takes less time than the best so far by a margin in the
// median of the rounds, and less in most of them. At the end the outcome is compared with the usual
// choice once more, in three times the rounds: what was best by luck is found out, and the usual
// choice stays.
//
// A knob of kernels is chosen for each by itself: a candidate has one value for all, the steps of
// its runs are timed one by one, and of each step the value that suits it best is taken. What this
// comes to must take no longer than the best so far, as what one step leaves in the caches, or
// which threads it leaves awake, may be another one's gain.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/tuning/choice.h"

namespace dynacc::tuning {

// Groups of the schedule that run as one, from the first to the last.
struct Part {
  int first_group = 0;
  int last_group = 0;

  friend bool operator==(const Part&, const Part&) = default;
};

// A candidate, ready to run.
struct Candidate {
  std::function<absl::Status()> run;
  std::string code;  // candidates of one code differ in nothing, unless a knob says otherwise
  // What can be timed, and chosen for, by itself; in the same order in all candidates that differ
  // in no rule.
  std::vector<Part> parts;
  // Runs it and adds what each part took, in nanoseconds.
  std::function<absl::Status(absl::Span<int64_t> nanoseconds)> run_parts;
};

// Gives the candidates of some choices, or for each an error if it has none.
using CandidateMaker =
    absl::FunctionRef<std::vector<absl::StatusOr<Candidate>>(absl::Span<const Choice>)>;

struct TunerSettings {
  bool fast_math = false;                   // knobs that change bits are tried, too
  absl::FunctionRef<int64_t()> now;         // nanoseconds
  int64_t budget = int64_t{4'000'000'000};  // nanoseconds after which no other knob is tried
  absl::FunctionRef<void(const std::string&)> log;  // a line for each candidate
};

struct Tuned {
  Choice choice;
  double gain = 1;     // the usual choice's time by its own, at the end
  int candidates = 0;  // that were timed, without the usual one
};

// What a choice takes less than another to be better: 4 percent.
inline constexpr double kMargin = 0.04;

// `make` is asked for all candidates that are compared with each other before any of them runs.
// Errors: what the usual choice's candidate or its runs give.
absl::StatusOr<Tuned> Tune(CandidateMaker make, const TunerSettings& settings);

}  // namespace dynacc::tuning
