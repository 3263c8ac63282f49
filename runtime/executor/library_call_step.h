// LibraryCallStep: a function of the array library itself, called through LibraryCaller.
#pragma once

#include "runtime/executor/step.h"

namespace dynacc::executor {

// `late`: the number that is the result's size along the axes that have it, defined by the call;
// kNoScalar: none. `read_on`: other steps read the result. Then one of several axes must come in C
// order, as the layout program has it; if it does not, it is copied where orders are free, and the
// run is ABORTED elsewhere.
class LibraryCallStep : public Step {
 public:
  LibraryCallStep(int64_t library_call_id, DType dtype, std::vector<OperandPlan> inputs, int output,
                  ScalarId late, bool read_on)
      : library_call_id_(library_call_id),
        dtype_(dtype),
        inputs_(std::move(inputs)),
        output_(output),
        late_(late),
        read_on_(read_on) {}
  absl::Status Run(RunFrame& frame) const override;

 private:
  void Promise(const RunFrame& frame, StridedView& promised) const;
  absl::Status DefineDataDependent(RunFrame& frame, const StridedView& result) const;

  int64_t library_call_id_;
  DType dtype_;
  std::vector<OperandPlan> inputs_;
  int output_;
  ScalarId late_;
  bool read_on_;
};

}  // namespace dynacc::executor
