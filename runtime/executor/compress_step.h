// CompressStep: the elements, or rows, of an array where a mask is true, by loops of our own.
//
// NumPy's `a[mask]` finds the places one by one and branches at each; here elements of 4 and 8
// bytes are packed a vector at a time (runtime/cpu/loops/compress_kernels.h).
#pragma once

#include <memory>

#include "runtime/executor/step.h"

namespace dynacc {

class CompressStep : public Step {
 public:
  // `late`: the number that is the size of the result's first axis. `host` makes the call of which
  // this is the meaning; it does so where the operands do not lie in C order, and where the mask's
  // shape is not that of the source's first axes.
  CompressStep(OperandPlan source, OperandPlan mask, int output, ScalarId late,
               std::unique_ptr<const Step> host)
      : source_(std::move(source)),
        mask_(std::move(mask)),
        output_(output),
        late_(late),
        host_(std::move(host)) {}
  absl::Status Run(RunFrame& frame) const override;

 private:
  absl::Status Compress(const StridedView& source, const StridedView& mask, RunFrame& frame) const;

  OperandPlan source_;
  OperandPlan mask_;
  int output_;
  ScalarId late_;
  std::unique_ptr<const Step> host_;
};

}  // namespace dynacc
