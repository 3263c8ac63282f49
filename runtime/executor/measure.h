// Times and bytes of a graph's steps, for reports (DYNACC_REPORT).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/options.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc::executor {

// Whether the process measures what entries and steps take. It costs two readings of the clock for
// each, so nobody does unless a report is asked for.
inline bool IsMeasuring() {
  static const bool is_measuring = !ProcessOptions().report.empty();
  return is_measuring;
}

// What each step of one graph has taken. Threads that run the graph add to it at once.
class StepMeter {
 public:
  // Null if the process does not measure.
  static std::unique_ptr<StepMeter> MakeIfMeasuring(size_t num_steps);

  // `now`: the clock, in nanoseconds.
  explicit StepMeter(size_t num_steps, int64_t (*now)() = NowNanoseconds)
      : tallies_(num_steps), now_(now) {}
  int64_t Now() const { return now_(); }
  // Adds one run of the step.
  void Add(size_t step, const StepMeasure& run);
  // Without the group, which the step knows.
  StepMeasure Of(size_t step) const;

 private:
  struct Tally {
    std::atomic<int64_t> runs{0}, nanoseconds{0}, bytes_read{0}, bytes_written{0};
    std::atomic<int64_t> arithmetic{0}, functions{0};
  };
  std::vector<Tally> tallies_;
  int64_t (*const now_)();
};

}  // namespace dynacc::executor
