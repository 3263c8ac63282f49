// The ops that a library call may compute (codegen/ir/graph.h), element by element: what runs where
// there is no call and no faster step fits. Operands may be of any dtype and lie anyhow.
//
// The functions work on views, for the steps below and for the reference target. ABORTED: where the
// op fails, with what is wrong.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/executor/gather_plan.h"
#include "runtime/executor/int_operation.h"
#include "runtime/executor/step.h"

namespace dynacc::executor {

// `out`, of the source's shape and dtype and apart from it, becomes its cumulative sums along
// `axis` (kAdd), or products (kMultiply).
absl::Status ScanElements(Op op, const StridedView& source, int axis, const StridedView& out);

// `places`, of int64, become where the greatest elements (kGreater), or the least (kLess), are
// along `axes`, which it lacks, or has with size 1.
absl::Status FindExtremes(Op op, const StridedView& source, absl::Span<const int> axes,
                          const StridedView& places);

// Where operands lie.
using ResolveOperand = absl::FunctionRef<StridedView(const OperandPlan& operand)>;

// `out` becomes the elements that the plan says.
absl::Status GatherElements(const GatherPlan& plan, ResolveOperand resolve, const StridedView& out);

// `out`, apart from all operands, becomes the source with the elements that the plan says.
absl::Status ScatterElements(const ScatterPlan& plan, ResolveOperand resolve,
                             const StridedView& out);

// How many elements of a mask are true.
int64_t CountTrue(const StridedView& mask);

// `out` becomes the rows of the source where the mask is true, as many as its first size.
absl::Status CompressRows(const StridedView& source, const StridedView& mask,
                          const StridedView& out);

struct ScanPlan {
  Op op = Op::kAdd;  // or kMultiply
  OperandPlan source;
  int axis = 0;
  int output = 0;
};

struct ExtremesPlan {
  Op op = Op::kGreater;  // or kLess
  OperandPlan source;
  std::vector<int> axes;
  int output = 0;
};

// A step that does what its plan says.
template <typename Plan>
class PlannedStep : public Step {
 public:
  explicit PlannedStep(Plan plan) : plan_(std::move(plan)) {}
  absl::Status Run(RunFrame& frame) const override;

  const Plan& plan() const { return plan_; }

 private:
  Plan plan_;
};
using ElementScanStep = PlannedStep<ScanPlan>;
using ElementExtremesStep = PlannedStep<ExtremesPlan>;
using ElementGatherStep = PlannedStep<GatherPlan>;
using ElementScatterStep = PlannedStep<ScatterPlan>;

// Other steps that go element by element.
// `defined`: the number that is the result's first size, defined by the step; kNoScalar: none is.
std::unique_ptr<Step> MakeElementCompress(OperandPlan source, OperandPlan mask, int output,
                                          ScalarId defined);
// A step that ends the run: ABORTED with `reason`.
std::unique_ptr<Step> MakeAbort(std::string reason);

}  // namespace dynacc::executor
