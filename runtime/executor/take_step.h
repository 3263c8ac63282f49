// TakeStep: rows of an array at an array of indices, by loops of our own.
//
// NumPy's `a[at]` waits for each element of an array that no cache holds. Here the lines of the
// next elements are asked for while these are moved, and several threads share the work.
#pragma once

#include <memory>

#include "runtime/executor/library_call_meaning.h"
#include "runtime/executor/step.h"

namespace dynacc {

class TakeStep : public Step {
 public:
  // `index` is of int64. `host` makes the call of which this is the meaning; it does so where the
  // operands do not lie in C order. The run is ABORTED if an index is beyond the array, which the
  // program then learns from the call itself.
  TakeStep(const TakeCall& take, OperandPlan source, OperandPlan index, int output,
           std::unique_ptr<const Step> host)
      : take_(take),
        source_(std::move(source)),
        index_(std::move(index)),
        output_(output),
        host_(std::move(host)) {}
  absl::Status Run(RunFrame& frame) const override;

 private:
  absl::Status Take(const StridedView& source, const StridedView& index, RunFrame& frame) const;

  TakeCall take_;
  OperandPlan source_;
  OperandPlan index_;
  int output_;
  std::unique_ptr<const Step> host_;
};

}  // namespace dynacc
