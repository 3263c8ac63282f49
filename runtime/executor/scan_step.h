// ScanStep: cumulative sums and products by loops of our own.
//
// NumPy reads each sum back from memory before it adds the next element; in a register it waits for
// the addition alone. The order of the additions is the same, and so are the bits.
#pragma once

#include <memory>

#include "runtime/executor/step.h"

namespace dynacc {

// Whether there are loops for the dtype.
bool CanScan(DType dtype);

class ScanStep : public Step {
 public:
  // `host` makes the call of which this is the meaning, where the source does not lie in C order.
  ScanStep(bool multiplies, DType dtype, OperandPlan source, int axis, int output,
           std::unique_ptr<const Step> host);
  absl::Status Run(RunFrame& frame) const override;

 private:
  // Of `outer` blocks one after the other, each `length` rows of `inner` elements, the cumulative
  // sums or products of the rows.
  using ScanFn = void (*)(const char* from, char* to, int64_t outer, int64_t length, int64_t inner);
  struct Row;
  static const Row* FindRow(DType dtype);
  friend bool CanScan(DType dtype);

  ScanFn scan_;
  OperandPlan source_;
  int axis_;
  int output_;
  std::unique_ptr<const Step> host_;
};

}  // namespace dynacc
