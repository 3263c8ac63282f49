// StoreStep: the memory of a new version of an array of which a part is stored anew.
#pragma once

#include "absl/functional/function_ref.h"
#include "runtime/executor/step.h"

namespace dynacc::executor {

struct StorePlan {
  OperandPlan base;  // the array before
  ViewPlan region;   // the part, as a view of the result
  int result = 0;    // buffer of the new version
  // Whether the result takes over the memory of the base, a buffer that nobody reads any more.
  bool reuse = false;
  bool base_is_empty = false;  // an Empty: nothing of it is read
  // The buffer that stands for the part and is computed by a later step; or -1: then `value`, of
  // the region's shape, is copied there.
  int part = -1;
  OperandPlan value;
};

// Unless it takes over the base's memory, the result has the base's strides (or those of a dense
// array in their order, if it becomes an array of the program) and gets a copy of what lies outside
// of the part.
class StoreStep : public Step {
 public:
  explicit StoreStep(StorePlan plan) : plan_(std::move(plan)) {}
  absl::Status Run(RunFrame& frame) const override;
  bool Bind(Binder& binder) const override;

  const StorePlan& plan() const { return plan_; }

 private:
  absl::Status StartResult(RunFrame& frame) const;

  StorePlan plan_;
};

// Has `copy` copy to `to` the elements of `from` (same shape and dtype) that are outside of the
// part that `region` shows, slab by slab. All of them, if the part is no box without gaps.
using CopyFn = absl::FunctionRef<void(const StridedView& from, const StridedView& to)>;
void CopyAround(const StridedView& from, const StridedView& to, const ViewPlan& region,
                absl::Span<const ScalarValue> scalars, CopyFn copy);

}  // namespace dynacc::executor
