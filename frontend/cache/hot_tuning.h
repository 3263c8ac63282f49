// HotTuning: an entry in which a program spends much time gets faster kernels, if there are any.
//
// The runs of the entry are timed, one in some. When they have taken long enough its graph is tuned
// in the background on copies of one run's arrays (codegen/compile/autotune.h). What is found there
// was found on one thread beside a running program, so it is no more than a rival: the program's
// own runs decide. Half of them are the rival's for a while, which is right as no bit depends on
// who runs, and it stays if it is faster by a margin. It is used under the GIL.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "codegen/compile/autotune.h"
#include "codegen/compile/compiler.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/rival_trial.h"
#include "frontend/cache/segment.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc::cache {

class HotTuning {
 public:
  // What the next run of the entry is.
  struct Turn {
    std::shared_ptr<const executor::CompiledGraph> rival;  // null: the entry's own graph runs
    bool is_timed = false;
    int trial = 0;  // which one it belongs to
  };

  // `options`: those that the entry was compiled with. `after`: the nanoseconds that are long
  // enough; 0: also where no processor is idle.
  HotTuning(compile::CompileOptions options, int64_t after)
      : options_(std::move(options)), after_(after), due_(after) {}

  // Whether nothing will come of it any more. It must be kept: a run of a graph that the entry had
  // may still go on.
  bool is_done() const { return state_ == State::kDone; }

  // To be asked before a run of the entry, which is final, on these slots of the guard tree.
  Turn Next(const Entry& entry, absl::Span<const BorrowedRef> slots,
            const arrays::ArrayNamespace& arrays);
  // A timed run.
  void Note(Entry& entry, const Turn& turn, int64_t nanoseconds);

 private:
  enum class State : uint8_t { kCounting, kTuning, kTrial, kDone };

  void Start(const Entry& entry, absl::Span<const BorrowedRef> slots,
             const arrays::ArrayNamespace& arrays);
  void TakeRivals();
  void CountOn();
  void EndTrial(Entry& entry);

  const compile::CompileOptions options_;
  const int64_t after_;
  State state_ = State::kCounting;
  uint64_t visits_ = 0;
  int64_t nanoseconds_ = 0;  // about what all runs have taken so far
  int64_t due_;              // of these, when it is tuned
  std::shared_ptr<const compile::TuningJob> job_;
  std::vector<compile::Rival> rivals_;  // all that were found, and at last what they replaced
  int trial_number_ = 0;                // which of them is on trial
  RivalTrial trial_;
};

}  // namespace dynacc::cache
