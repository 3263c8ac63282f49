#include "runtime/executor/measure.h"

namespace dynacc::executor {

std::unique_ptr<StepMeter> StepMeter::MakeIfMeasuring(size_t num_steps) {
  return IsMeasuring() ? std::make_unique<StepMeter>(num_steps) : nullptr;
}

void StepMeter::Add(size_t step, const StepMeasure& run) {
  Tally& tally = tallies_[step];
  tally.runs.fetch_add(1, std::memory_order_relaxed);
  tally.nanoseconds.fetch_add(run.nanoseconds, std::memory_order_relaxed);
  tally.bytes_read.fetch_add(run.bytes_read, std::memory_order_relaxed);
  tally.bytes_written.fetch_add(run.bytes_written, std::memory_order_relaxed);
  tally.arithmetic.fetch_add(run.work.arithmetic, std::memory_order_relaxed);
  tally.functions.fetch_add(run.work.functions, std::memory_order_relaxed);
}

StepMeasure StepMeter::Of(size_t step) const {
  const Tally& tally = tallies_[step];
  StepMeasure measure;
  measure.runs = tally.runs.load(std::memory_order_relaxed);
  measure.nanoseconds = tally.nanoseconds.load(std::memory_order_relaxed);
  measure.bytes_read = tally.bytes_read.load(std::memory_order_relaxed);
  measure.bytes_written = tally.bytes_written.load(std::memory_order_relaxed);
  measure.work = {tally.arithmetic.load(std::memory_order_relaxed),
                  tally.functions.load(std::memory_order_relaxed)};
  return measure;
}

}  // namespace dynacc::executor
