#include "runtime/executor/measure.h"

namespace dynacc::executor {

std::unique_ptr<StepMeter> StepMeter::MakeIfMeasuring(size_t num_steps) {
  return IsMeasuring() ? std::make_unique<StepMeter>(num_steps) : nullptr;
}

void StepMeter::Add(size_t step, int64_t nanoseconds, int64_t bytes_read, int64_t bytes_written) {
  Tally& tally = tallies_[step];
  tally.runs.fetch_add(1, std::memory_order_relaxed);
  tally.nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
  tally.bytes_read.fetch_add(bytes_read, std::memory_order_relaxed);
  tally.bytes_written.fetch_add(bytes_written, std::memory_order_relaxed);
}

StepMeasure StepMeter::Of(size_t step) const {
  const Tally& tally = tallies_[step];
  StepMeasure measure;
  measure.runs = tally.runs.load(std::memory_order_relaxed);
  measure.nanoseconds = tally.nanoseconds.load(std::memory_order_relaxed);
  measure.bytes_read = tally.bytes_read.load(std::memory_order_relaxed);
  measure.bytes_written = tally.bytes_written.load(std::memory_order_relaxed);
  return measure;
}

}  // namespace dynacc::executor
