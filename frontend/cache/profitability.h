// ProfitabilityTest: finds out whether to run an entry is quicker than to execute its instructions.
//
// An entry of a few operations on small arrays, or on numbers out of arrays, may take longer than
// CPython needs for the same: guards, the binding of inputs and the making of results cost some
// hundred nanoseconds whatever is computed. So some of the first runs of an entry are timed, and
// some of its visits are executed by the step interpreter instead, and what these call by CPython.
// The least time of each kind counts, since whatever disturbs a run makes it longer. Entries that
// run longer than LongestTried are not tried: there the kernels decide, and executing the
// instructions for comparison could take time that is noticed. A report (DYNACC_REPORT) asks what
// each entry saves, and so takes that time up to kLongestMeasured.
//
// The first visits are few and cold, and where sizes change from visit to visit those of one kind
// may have been the larger ones. So there are later rounds, further and further apart, which count
// instead: by the middle times of each kind, on average over these rounds. The first steps of a
// round, after many runs, find CPython's code in no cache, and do not count.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace dynacc::cache {

// What the step interpreter takes for an instruction beside CPython's loop, about.
constexpr int64_t kStepNanoseconds = 25;
// What a visit of a segment takes before and after what is timed, about.
constexpr int64_t kVisitNanoseconds = 150;
// What NumPy takes for an operation on a small array, about.
constexpr int64_t kOperationNanoseconds = 600;

class ProfitabilityTest {
 public:
  static constexpr int64_t kLongestTried = 200'000;        // nanoseconds, but more for ...
  static constexpr int64_t kLongestOperation = 5'000;      // ... many operations on small arrays
  static constexpr int64_t kLongestMeasured = 20'000'000;  // the same where a report is asked for
  static constexpr int kRunsBefore = 2;                    // what these touch is cold
  static constexpr int kSamples = 3;                       // of each kind in a round, at most
  static constexpr int kMostStepped = 12;  // visits, perhaps none of them to its end
  static constexpr int kLaterRounds = 4;
  static constexpr int kStepsBefore = 4;               // of a later round
  static constexpr uint32_t kVisitsBeforeLater = 200;  // the first, ...
  static constexpr uint32_t kLaterApart = 8;  // ... and so many times as many before each next

  enum class Turn : uint8_t { kRun, kTimedRun, kTimedSteps };
  // What the next visit is to be.
  Turn Next();

  // A timed run: all of it, from the guards on, and the part that its kernels took.
  // `kernels_improve`: these were library loops, and compiled kernels will take their place.
  // `operations`: of arrays, in the entry.
  void NoteRun(int64_t nanoseconds, int64_t in_kernels, bool kernels_improve, int operations);
  // The same visit instruction by instruction, `steps` of them.
  void NoteSteps(int64_t nanoseconds, int64_t steps);
  // Other kernels have taken the place of those that were timed.
  void RestartRuns();

  int timed_runs() const { return timed_runs_; }
  // The shortest of them, in nanoseconds; the greatest number while there are none.
  int64_t least_run() const { return least_run_; }
  bool decided() const { return decided_; }
  // Whether a later round is under way, which may decide otherwise.
  bool in_later_round() const { return in_later_round_; }
  // "takes 900 ns, 12 instructions 600 ns".
  std::string Describe() const;
  // Whether it is quicker to execute the instructions one by one.
  bool loses() const { return loses_; }
  // What CPython's loop would take: the steps were few and cold, and so was the Python code of the
  // functions that they call, which CPython had not specialised. (np.allclose of 20 elements: 18 us
  // then, 13 later; four operations on some 50 elements in a function: 2.7 us and 2.0.)
  static constexpr int64_t ByCPython(int64_t nanoseconds, int64_t steps) {
    const int64_t rest = nanoseconds - steps * kStepNanoseconds;
    return rest - std::min<int64_t>(rest / 4, 3'000);
  }
  // Whether Saving is of measurements, not of the number of operations.
  bool measured() const { return measured_; }
  // What a run saves beside CPython's loop, in nanoseconds; `operations` array operations count
  // where nothing was measured.
  int64_t Saving(int operations) const {
    return measured_ ? saving_ : operations * kOperationNanoseconds;
  }

 private:
  // The times of one kind in the later rounds.
  struct Times {
    std::array<int64_t, kSamples> of_round;
    int64_t sum = 0;  // of the middle ones of rounds
  };

  void Judge(int64_t run, int64_t steps);
  bool StartsLaterRound();
  void EndLaterRound();

  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  int64_t least_run_ = kNever;    // of what is to be expected once the kernels are compiled
  int64_t least_steps_ = kNever;  // by the step interpreter
  int64_t num_steps_ = 0;
  Times runs_, steps_;
  uint32_t visits_ = 0;  // since the last round
  uint32_t visits_between_ = kVisitsBeforeLater;
  uint8_t later_rounds_ = 0;
  bool in_later_round_ = false;
  bool never_ends_ = false;  // visits that step do not come to the entry's end
  int64_t saving_ = 0;
  uint8_t runs_before_ = 0;
  uint8_t timed_runs_ = 0;
  uint8_t timed_steps_ = 0;
  uint8_t stepped_ = 0;
  bool decided_ = false;
  bool is_long_ = false;
  bool measured_ = false;
  bool loses_ = false;
};

}  // namespace dynacc::cache
