// ExternStep: a function of the array library itself, called through ExternCaller.
#pragma once

#include "runtime/executor/step.h"

namespace dynacc {

// `read_on`: other steps read the result. Then it must come in C order, as the layout program has
// it; the run is ABORTED if it does not.
class ExternStep : public Step {
 public:
  ExternStep(int64_t extern_id, DType dtype, std::vector<OperandPlan> inputs, int output,
             bool read_on)
      : extern_id_(extern_id),
        dtype_(dtype),
        inputs_(std::move(inputs)),
        output_(output),
        read_on_(read_on) {}
  absl::Status Run(RunFrame& frame) const override;

 private:
  int64_t extern_id_;
  DType dtype_;
  std::vector<OperandPlan> inputs_;
  int output_;
  bool read_on_;
};

}  // namespace dynacc
