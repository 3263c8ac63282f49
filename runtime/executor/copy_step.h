// CopyStep and ReshapeStep: elements moved, or seen under another shape, unchanged.
#pragma once

#include "absl/status/statusor.h"
#include "runtime/executor/loop_nest.h"
#include "runtime/executor/row_stage.h"
#include "runtime/executor/step.h"

namespace dynacc::executor {

// Copies what an operand shows into a buffer of the same shape, in NumPy's K order.
class CopyStep : public Step {
 public:
  CopyStep(OperandPlan source, int destination)
      : source_(std::move(source)), destination_(destination) {}
  absl::Status Run(RunFrame& frame) const override;
  bool Bind(Binder& binder) const override;

  const OperandPlan& source() const { return source_; }
  int destination() const { return destination_; }

 private:
  OperandPlan source_;
  int destination_;
};

// Gives an operand's elements, taken in C order, another shape: the same memory where strides can
// say it, as numpy.reshape decides; otherwise a copy. Of a Full, memory laid out as that would be.
class ReshapeStep : public Step {
 public:
  ReshapeStep(OperandPlan source, int destination)
      : source_(std::move(source)), destination_(destination) {}
  absl::Status Run(RunFrame& frame) const override;
  bool Bind(Binder& binder) const override;

  const OperandPlan& source() const { return source_; }
  int destination() const { return destination_; }

 private:
  absl::Status WriteFull(RunFrame& frame, const StridedView& source, StridedView& result) const;

  OperandPlan source_;
  int destination_;
};

// Copies the elements of `source` to `destination`, of the same shape and dtype.
void CopyElements(const StridedView& source, const StridedView& destination);

// The same as operands 0 and 1 of what is run again and again, by one thread; the views are read
// for their shapes and strides. Null: there are no elements.
std::unique_ptr<const ReadyRows> ReadyToCopy(const StridedView& source,
                                             const StridedView& destination);

// Whether that is quick enough to be bound (bound_program.h).
bool IsShortCopy(const StridedView& source);

// Copies the memory of `source`, from its first element's byte to its last one's, into `memory`:
// `copy` shows the same elements at the same strides. RESOURCE_EXHAUSTED if there is no memory.
absl::Status CopyAsItLies(const StridedView& source, ScratchBlock& memory, StridedView& copy);

// Copies n elements of `item_size` bytes (a power of two up to kMaxItemSize).
void CopyRun(int item_size, char* to, int64_t to_stride, const char* from, int64_t from_stride,
             int64_t n);

// Fills result.strides and result.data so that `result` (dtype and shape given) shows the elements
// of `source` in C order; false if no strides do.
bool ReshapeWithoutCopy(const StridedView& source, StridedView& result);

// The elements of `source`, in C order, under the shape of `result`: where they are, or copied into
// `memory` if no strides can say so. RESOURCE_EXHAUSTED.
absl::StatusOr<StridedView> Reshaped(const StridedView& source, StridedView result,
                                     ScratchBlock& memory);

}  // namespace dynacc::executor
