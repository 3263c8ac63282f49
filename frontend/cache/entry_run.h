// Running one entry: from guarded values to result objects, without any effect on the frame.
#pragma once

#include "absl/types/span.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/segment.h"
#include "runtime/base/clock.h"
#include "runtime/executor/measure.h"

namespace dynacc::cache {

enum class EntryOutcome {
  kDone,         // `results` hold what the frame state makes
  kMismatch,     // a condition of the entry does not hold: try another entry
  kInterrupted,  // signals wait; nothing has happened yet
  kFallback,     // it cannot be done here (a reported floating-point flag, overflow, no memory)
};

// `slots` are the guard tree's. `interruptible`: a long run ends when a signal comes. Nothing
// existing is written unless the outcome is kDone: then the arrays that the graph writes into are.
// `kernel_nanoseconds`, unless null: the processor time of the graph's kernels is added to it.
// `instead`: what runs in the place of the entry's own, and does the same; null: that.
EntryOutcome RunEntryGraph(const Entry& entry, absl::Span<const BorrowedRef> slots,
                           BorrowedRef function, arrays::ArrayNamespace& arrays, bool interruptible,
                           frame_state::FrameStateResults& results,
                           int64_t* kernel_nanoseconds = nullptr,
                           const executor::CompiledGraph* instead = nullptr);

// Adds the time of a run of the entry to its account if the process measures (measure.h).
class RunClock {
 public:
  explicit RunClock(EntryAccount& account)
      : account_(executor::IsMeasuring() ? &account : nullptr),
        start_(account_ == nullptr ? 0 : NowNanoseconds()) {}
  ~RunClock() {
    if (account_ == nullptr) return;
    ++account_->runs;
    account_->nanoseconds += NowNanoseconds() - start_;
  }
  RunClock(const RunClock&) = delete;
  RunClock& operator=(const RunClock&) = delete;

 private:
  EntryAccount* account_;
  int64_t start_;
};

}  // namespace dynacc::cache
