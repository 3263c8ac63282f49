// ArgExtremeStep: where the greatest or least elements along the last axis are (argmax, argmin).
//
// As NumPy has it: the first of several that are equal, and the first NaN if there is one. No
// flags.
#pragma once

#include <memory>

#include "runtime/cpu/loops/extreme_run.h"
#include "runtime/executor/step.h"

namespace dynacc {

class ArgExtremeStep : public Step {
 public:
  // `find`: of one row. `row_axes`: the last axes of the source that make a row. The result, of
  // int64, has an element for each row, in C order. `host` makes the call of which this is the
  // meaning, where the source does not lie in C order, and where there is nothing to be found.
  ArgExtremeStep(ArgExtremeFn find, OperandPlan source, int row_axes, int output,
                 std::unique_ptr<const Step> host)
      : find_(find),
        source_(std::move(source)),
        row_axes_(row_axes),
        output_(output),
        host_(std::move(host)) {}

  absl::Status Run(RunFrame& frame) const override;

 private:
  ArgExtremeFn find_;
  OperandPlan source_;
  int row_axes_;
  int output_;
  std::unique_ptr<const Step> host_;
};

}  // namespace dynacc
