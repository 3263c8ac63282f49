#include "runtime/cpu/onednn/onednn_matmul_step.h"

#include "absl/algorithm/container.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/onednn/array_matmul.h"
#include "runtime/cpu/onednn/packed_weights.h"
#include "runtime/cpu/onednn/window_matmul.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/matmul_step.h"
#include "runtime/executor/window_matmul_step.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

bool HasFunction(const OneDnnMatmulPlan& plan) {
  return absl::c_any_of(plan.epilogue, [](const OneDnnMatmulPlan::StepPlan& step) {
    return Info(step.kind).form == EpilogueForm::kFunction;
  });
}

void Convert(DType dtype, int64_t n, const char* from, char* to) {
  for (int64_t i = 0; i < n; ++i) {
    if (dtype == DType::kFloat32) {
      reinterpret_cast<uint32_t*>(to)[i] = uint32_t{reinterpret_cast<const uint16_t*>(from)[i]}
                                           << 16;
    } else {
      reinterpret_cast<uint16_t*>(to)[i] =
          static_cast<uint16_t>(reinterpret_cast<const uint32_t*>(from)[i] >> 16);
    }
  }
}

// An operand whose numbers are bfloat16's, in that dtype or in float32.
class Converted {
 public:
  absl::Status Set(const StridedView& operand, DType dtype) {
    view = operand;
    if (operand.dtype == dtype || operand.size() == 0) return absl::OkStatus();
    StridedView copy = operand;
    SetContiguousStrides(copy);
    const int64_t n = operand.size();
    if (!copied_.Allocate(n * ItemSize(operand.dtype)) ||
        !converted_.Allocate(n * ItemSize(dtype))) {
      return absl::ResourceExhaustedError("no memory for an operand of a matrix product");
    }
    copy.data = copied_.data();
    executor::CopyElements(operand, copy);
    Convert(dtype, n, copied_.data(), converted_.data());
    view = copy;
    view.dtype = dtype;
    view.data = converted_.data();
    SetContiguousStrides(view);
    return absl::OkStatus();
  }

  StridedView view;

 private:
  executor::ScratchBlock copied_, converted_;
};

}  // namespace

// As eager functions do it: to the bits of copies in C order.
absl::Status OneDnnMatmulStep::RunSmall(executor::RunFrame& frame, const StridedView& a,
                                        const StridedView& b) const {
  if (!plan_.is_low_precision && plan_.window_axes.empty()) return plain_->Run(frame);
  Converted wide_a, wide_b;
  DYNACC_RETURN_IF_ERROR(wide_a.Set(a, DType::kFloat32));
  DYNACC_RETURN_IF_ERROR(wide_b.Set(b, DType::kFloat32));
  DYNACC_RETURN_IF_ERROR(frame.Allocate(plan_.output));
  frame.CountLibraryCall();
  const StridedView& out = frame.view(plan_.output);
  if (out.size() == 0) return absl::OkStatus();
  if (!plan_.window_axes.empty()) {
    return executor::MultiplyWindowsByLoop(plan_.loop, wide_a.view, wide_b.view, out);
  }
  executor::MultiplyByLoop(plan_.loop, wide_a.view, wide_b.view, out);
  return absl::OkStatus();
}

MatmulWork OneDnnMatmulStep::WorkOf(const executor::RunFrame& frame, const StridedView& b) const {
  const executor::ShapePlan& shape = frame.shape_plan(plan_.output);
  double rows = 1;
  for (int axis = 0; axis + 1 < shape.rank; ++axis) {
    rows *= static_cast<double>(frame.Size(shape.sizes[axis]));
  }
  const auto columns = static_cast<double>(frame.Size(shape.sizes[shape.rank - 1]));
  const bool is_constant = plan_.window_axes.empty() && AreConstantWeights(b);
  return {rows * static_cast<double>(b.shape[b.rank - 2]) * columns, rows == 1,
          plan_.is_low_precision, is_constant};
}

absl::Status OneDnnMatmulStep::Run(executor::RunFrame& frame) const {
  StridedView storage_a, storage_b;
  const StridedView& a = frame.Resolve(plan_.a, storage_a);
  const StridedView& b = frame.Resolve(plan_.b, storage_b);
  const int64_t inner = b.shape[b.rank - 2];
  const DType operands = plan_.is_low_precision ? DType::kBFloat16 : a.dtype;
  if (plan_.epilogue.empty() && !IsWorthOneDnn(operands, WorkOf(frame, b))) {
    return RunSmall(frame, a, b);
  }
  DYNACC_RETURN_IF_ERROR(frame.Allocate(plan_.output));
  frame.CountLibraryCall();
  if (frame.view(plan_.output).size() == 0) return absl::OkStatus();
  // The epilogue of a sum of nothing: rare enough for CPython.
  if (inner == 0) return absl::AbortedError("a matrix product of nothing");
  std::vector<ArrayStep> steps;
  for (const OneDnnMatmulPlan::StepPlan& step : plan_.epilogue) {
    ArrayStep& own =
        steps.emplace_back(ArrayStep{step.kind, step.alpha, step.beta, {}, step.is_row});
    StridedView storage;
    if (Info(step.kind).form == EpilogueForm::kArray) {
      own.array = frame.Resolve(step.operand, storage);
    }
  }
  Converted own_a, own_b;
  DYNACC_RETURN_IF_ERROR(own_a.Set(a, operands));
  DYNACC_RETURN_IF_ERROR(own_b.Set(b, operands));
  const StridedView& out = frame.view(plan_.output);
  DYNACC_RETURN_IF_ERROR(
      plan_.window_axes.empty()
          ? MultiplyArrays(own_a.view, own_b.view, steps, out)
          : MultiplyWindows(own_a.view, plan_.window_axes, own_b.view, steps, out));
  if (HasFunction(plan_) && (platform::ErrorFlags() & FE_INVALID) != 0) {
    return absl::AbortedError("a NaN in the epilogue of a matrix product");
  }
  return absl::OkStatus();
}

}  // namespace dynacc::cpu
