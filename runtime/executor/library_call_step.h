// LibraryCallStep: a function of the array library itself, called through LibraryCaller.
#pragma once

#include <vector>

#include "runtime/executor/step.h"

namespace dynacc::executor {

struct LibraryCallPlan {
  int64_t library_call_id = 0;
  DType dtype = DType::kFloat64;  // of the result
  std::vector<OperandPlan> inputs;
  int output = 0;
  // The number that is the result's size along the axes that have it, defined by the call;
  // kNoScalar: none.
  ScalarId late = kNoScalar;
  // Other steps read the result. Then one of several axes must come in C order, as the layout
  // program has it; if it does not, it is copied where orders are free, and the run is ABORTED
  // elsewhere.
  bool read_on = false;
};

class LibraryCallStep : public Step {
 public:
  explicit LibraryCallStep(LibraryCallPlan plan) : plan_(std::move(plan)) {}
  absl::Status Run(RunFrame& frame) const override;

  const LibraryCallPlan& plan() const { return plan_; }

 private:
  void Promise(const RunFrame& frame, StridedView& promised) const;
  absl::Status DefineDataDependent(RunFrame& frame, const StridedView& result) const;

  LibraryCallPlan plan_;
};

}  // namespace dynacc::executor
