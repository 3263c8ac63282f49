// IntStep: one of Python's operators on single ints (n + 1, 100 * hits // size).
//
// The result is computed exactly, which is what NumPy and Python give if the result's dtype holds
// it and the operands. Where it does not, and for a divisor of zero and the like, the call itself
// is made: whether that wraps around, warns or raises is for its owner to say.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executor/library_call_meaning.h"
#include "runtime/executor/step.h"

namespace dynacc {

class IntStep : public Step {
 public:
  // Whether there is a step for operands of these dtypes and such a result.
  static bool Does(const IntOperationCall& operation, const std::vector<DType>& operands,
                   DType result);

  // `host` makes the call of which this is the meaning.
  IntStep(IntOperationCall operation, std::vector<DType> dtypes, std::vector<OperandPlan> operands,
          DType result, int output, std::unique_ptr<const Step> host)
      : operation_(std::move(operation)),
        dtypes_(std::move(dtypes)),
        operands_(std::move(operands)),
        result_(result),
        output_(output),
        host_(std::move(host)) {}

  absl::Status Run(RunFrame& frame) const override;

 private:
  IntOperationCall operation_;
  std::vector<DType> dtypes_;  // of operands_
  std::vector<OperandPlan> operands_;
  DType result_;
  int output_;
  std::unique_ptr<const Step> host_;
};

}  // namespace dynacc
