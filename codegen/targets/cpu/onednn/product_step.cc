#include "codegen/targets/cpu/onednn/product_step.h"

#include "absl/algorithm/container.h"
#include "codegen/targets/cpu/onednn/array_product.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/fp_flags.h"

namespace dynacc {
namespace {

bool HasFunction(const ProductPlan& plan) {
  return absl::c_any_of(plan.epilogue, [](const ProductPlan::StepPlan& step) {
    return Info(step.kind).form == EpilogueForm::kFunction;
  });
}

}  // namespace

absl::Status ProductStep::Run(RunFrame& frame) const {
  StridedView storage_a, storage_b;
  const StridedView& a = frame.Resolve(plan_.a, storage_a);
  const StridedView& b = frame.Resolve(plan_.b, storage_b);
  const int64_t inner = a.shape[a.rank - 1];
  double multiplications = static_cast<double>(inner);
  const ShapePlan& shape = frame.shape_plan(plan_.output);
  for (int axis = 0; axis < shape.rank; ++axis) {
    multiplications *= static_cast<double>(frame.Size(shape.sizes[axis]));
  }
  if (plan_.epilogue.empty() && !IsWorthOneDnn(plan_.dtype, multiplications)) {
    return plain_->Run(frame);
  }
  DYNACC_RETURN_IF_ERROR(frame.Allocate(plan_.output));
  frame.CountExtern();
  if (frame.view(plan_.output).size() == 0) return absl::OkStatus();
  // The epilogue of a sum of nothing: rare enough for CPython.
  if (inner == 0) return absl::AbortedError("a matrix product of nothing");
  std::vector<ArrayStep> steps;
  for (const ProductPlan::StepPlan& step : plan_.epilogue) {
    ArrayStep& own =
        steps.emplace_back(ArrayStep{step.kind, step.alpha, step.beta, {}, step.is_row});
    StridedView storage;
    if (Info(step.kind).form == EpilogueForm::kArray) {
      own.array = frame.Resolve(step.operand, storage);
    }
  }
  DYNACC_RETURN_IF_ERROR(MultiplyArrays(a, b, steps, frame.view(plan_.output)));
  if (HasFunction(plan_) && (ErrorFlags() & FE_INVALID) != 0) {
    return absl::AbortedError("a NaN in the epilogue of a matrix product");
  }
  return absl::OkStatus();
}

}  // namespace dynacc
