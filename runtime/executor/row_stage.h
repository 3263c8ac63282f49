// RowStage: a step that can be done for some rows at a time, as a part of a RowBlockStep.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executor/loop_nest.h"
#include "runtime/executor/read_ahead.h"
#include "runtime/executor/run_frame.h"

namespace dynacc::executor {

// All that a stage reads, then what it writes, over its whole iteration: the axes are in C
// numbering, in no order yet.
struct RowOperands {
  LoopNest nest;
  int buffers[kMaxOperands];  // of each operand of the nest
};

// How a stage's part is to be done.
struct RowHints {
  bool non_temporal = false;   // nobody will find what it writes in the cache
  ReadAhead* ahead = nullptr;  // to be advanced by it
};

// A stage made ready for parts of one shape, of which there are many: what it does for each of them
// should be little beside a row.
class ReadyRows {
 public:
  virtual ~ReadyRows() = default;

  // Does what Step::Run does, on the part whose operands begin there. Thread-safe with a scratch
  // for each thread. False if this run's rows cannot be done apart after all: what was written is
  // to be forgotten, and all of it done step by step.
  [[nodiscard]] virtual bool Run(char* const* pointers, char* scratch,
                                 const RowHints& hints) const = 0;
};

class RowStage {
 public:
  virtual ~RowStage() = default;

  // Whether this run's rows can be done apart: not where sums go another way than along the rows.
  virtual bool CanCut(const RunFrame& frame) const = 0;

  // Rows of `axis` that a block shall have at least, so that what the stage does once for each
  // block is little beside them.
  virtual int64_t LeastRows(const RunFrame&, [[maybe_unused]] int axis) const { return 1; }

  // Fills `operands`. What it writes has its place in the frame already.
  virtual void Gather(const RunFrame& frame, RowOperands& operands) const = 0;

  // `part`: of that nest, with fewer elements along leading axes.
  virtual std::unique_ptr<const ReadyRows> Prepare(const RunFrame& frame,
                                                   const LoopNest& part) const = 0;

  // Whether it advances ReadAheads.
  virtual bool reads_ahead() const { return false; }

  virtual const ShapePlan& iteration() const = 0;
  virtual std::vector<int> inputs() const = 0;  // buffers
  virtual const std::vector<int>& outputs() const = 0;
  virtual size_t scratch_bytes() const { return 0; }
  virtual double Cost(const RunFrame& frame) const = 0;  // nanoseconds an element, roughly
};

}  // namespace dynacc::executor
