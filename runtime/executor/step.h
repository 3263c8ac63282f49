// Step: one thing that a compiled graph does, in order: a launch, a library call, a copy.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/executor/flat_program.h"
#include "runtime/executor/run_frame.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::executor {

class Binder;
class RowStage;

class Step {
 public:
  virtual ~Step() = default;

  // Itself, if it can be done for some rows at a time (row_stage.h); otherwise null.
  virtual const RowStage* row_stage() const { return nullptr; }

  // Whether it is one kernel over arrays of one shape, wholly read and written, and numbers: then
  // `launch` (but for reported_flags) is what is left to do once all arrays lie in C order.
  virtual bool AsFlat([[maybe_unused]] const std::vector<BufferPlan>& buffers,
                      [[maybe_unused]] FlatLaunch& launch) const {
    return false;
  }

  // Allocates what it writes and writes it. Immutable: one step may run on several threads.
  virtual absl::Status Run(RunFrame& frame) const = 0;

  // Gives `binder` (bound_program.h) what is left to do where all sizes and strides are as in its
  // frame, whose run is over. False: this cannot be said; what was given does not count then.
  virtual bool Bind(Binder&) const { return false; }

  // What a run of those sizes computes, as far as it is known: for reports.
  virtual Work WorkIn([[maybe_unused]] const RunFrame& frame) const { return {}; }

  // Whether the flags that the hardware shows after Run count. Steps of comparisons and the like
  // may raise flags on NaN that NumPy does not report.
  bool reports_flags = true;
  // Of these; bits of <cfenv>.
  uint32_t reported_flags = platform::kErrorFlags;

  // Whether it works on a device's memory (offload.h) and not on the frame's.
  bool on_device = false;

  // Buffers that it reads and writes; filled for plans with an Offload only.
  std::vector<int> reads;
  std::vector<int> writes;

  // The fusion group that it runs, or the first of several; -1: none, a copy or the like.
  int group = -1;
  // The last of them.
  virtual int last_group() const { return group; }

  // Where in the user's program it comes from ("score.py:12"), for errors; empty: not said.
  std::string place;

  // Temporaries whose last use this step is.
  std::vector<int> releases;
};

}  // namespace dynacc::executor
