// ExternStep: a function of the array library itself, called through ExternCaller.
#pragma once

#include "runtime/executor/step.h"

namespace dynacc {

class ExternStep : public Step {
 public:
  ExternStep(int64_t extern_id, DType dtype, std::vector<OperandPlan> inputs, int output)
      : extern_id_(extern_id), dtype_(dtype), inputs_(std::move(inputs)), output_(output) {}
  absl::Status Run(RunFrame& frame) const override;

 private:
  int64_t extern_id_;
  DType dtype_;
  std::vector<OperandPlan> inputs_;
  int output_;
};

}  // namespace dynacc
