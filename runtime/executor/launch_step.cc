#include "runtime/executor/launch_step.h"

#include <algorithm>

#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/thread_pool.h"

namespace dynacc {
namespace {

// Waking a thread takes up to some 50 us; a part should be worth more.
constexpr double kNanosecondsPerPart = 150'000;

// The work of one thread after which a long launch asks whether to stop: short beside what a user
// who presses Ctrl-C notices, even where the estimate is some times too low.
constexpr double kNanosecondsPerRound = 10'000'000;

int SumOfSizes(const std::vector<DType>& dtypes) {
  int bytes = 0;
  for (const DType dtype : dtypes) bytes += ItemSize(dtype);
  return bytes;
}

// A number that every element shares, or a whole Full, which is in C order.
bool IsNumber(const RunFrame& frame, const OperandPlan& operand) {
  return frame.view(operand.buffer).rank == 0 ||
         (frame.kind(operand.buffer) == BufferKind::kScalar && operand.views.empty());
}

int RoundsFor(int64_t elements, double cost, int parts) {
  return static_cast<int>(static_cast<double>(elements) * cost / kNanosecondsPerRound / parts) + 1;
}

}  // namespace

int PartsFor(int64_t elements, double cost) {
  const double parts = static_cast<double>(elements) * cost / kNanosecondsPerPart;
  if (parts < 2) return 1;
  return static_cast<int>(std::min<double>(parts, ThreadCount()));
}

LaunchStep::LaunchStep(KernelPlan plan, std::vector<int> outputs)
    : plan_(std::move(plan)),
      outputs_(std::move(outputs)),
      bytes_read_(SumOfSizes(plan_.input_dtypes)),
      bytes_written_(SumOfSizes(plan_.output_dtypes)) {
  DYNACC_CHECK(plan_.inputs.size() + outputs_.size() <= kMaxOperands);
  for (const OperandPlan& input : plan_.inputs) has_views_ |= !input.views.empty();
}

absl::Status LaunchStep::Run(RunFrame& frame) const {
  return IsFlat(frame) ? RunFlat(frame) : RunNest(frame);
}

// Whether all operands are whole arrays in C order, or numbers: then the kernel runs once, along
// everything.
bool LaunchStep::IsFlat(const RunFrame& frame) const {
  if (has_views_) {
    // Only numbers may be seen through views (they are broadcast).
    for (const OperandPlan& input : plan_.inputs) {
      if (!input.views.empty() && !IsNumber(frame, input)) return false;
    }
  }
  for (const OperandPlan& input : plan_.inputs) {
    if (!frame.contiguous(input.buffer) && !IsNumber(frame, input)) return false;
  }
  for (const int output : outputs_) {
    if (frame.kind(output) == BufferKind::kPart && !frame.contiguous(output)) return false;
  }
  return true;
}

absl::Status LaunchStep::RunFlat(RunFrame& frame) const {
  char* pointers[kMaxOperands];
  int64_t strides[kMaxOperands];
  int64_t size = 1;
  for (int i = 0; i < plan_.shape.rank; ++i) size *= frame.Size(plan_.shape.sizes[i]);
  int k = 0;
  for (const OperandPlan& input : plan_.inputs) {
    pointers[k] = frame.view(input.buffer).data;
    strides[k] = IsNumber(frame, input) ? 0 : ItemSize(plan_.input_dtypes[k]);
    ++k;
  }
  for (size_t i = 0; i < outputs_.size(); ++i, ++k) {
    DYNACC_RETURN_IF_ERROR(frame.Allocate(outputs_[i]));
    pointers[k] = frame.view(outputs_[i]).data;
    strides[k] = ItemSize(plan_.output_dtypes[i]);
  }
  frame.CountLaunch(size * bytes_read_, size * bytes_written_);
  if (size == 0) return absl::OkStatus();
  if (PartsFor(size, plan_.cost) == 1) {
    plan_.kernel->Run(pointers, strides, size);
    return absl::OkStatus();
  }
  LoopNest nest;
  StartNest(nest, 1, &size);
  for (int i = 0; i < k; ++i) AddOperand(nest, pointers[i], &strides[i]);
  LaunchKernel(frame, *plan_.kernel, nest, plan_.cost);
  return absl::OkStatus();
}

absl::Status LaunchStep::RunNest(RunFrame& frame) const {
  const ResolvedInputs inputs(plan_, frame);
  AxisOrder orders[kMaxOperands];
  const bool c_order = inputs.AllCOrdered() && plan_.orders.keeps_c_order();
  if (!c_order) inputs.FindOrders(plan_, frame, {orders, outputs_.size()});
  StridedView shape;
  frame.FillShape(plan_.shape, shape);
  LoopNest nest;
  StartNest(nest, shape.rank, shape.shape);
  for (size_t k = 0; k < plan_.inputs.size(); ++k) {
    AddOperand(nest, inputs[k].data, inputs[k].strides);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    DYNACC_RETURN_IF_ERROR(frame.Allocate(outputs_[i], c_order ? nullptr : &orders[i]));
    AddOperand(nest, frame.view(outputs_[i]).data, frame.view(outputs_[i]).strides);
  }
  const int64_t size = nest.size();
  frame.CountLaunch(size * bytes_read_, size * bytes_written_);
  if (size == 0) return absl::OkStatus();
  OptimizeNest(nest);
  LaunchKernel(frame, *plan_.kernel, nest, plan_.cost);
  return absl::OkStatus();
}

ResolvedInputs::ResolvedInputs(const KernelPlan& plan, const RunFrame& frame) {
  storage_.reserve(plan.inputs.size());
  for (const OperandPlan& input : plan.inputs) {
    const StridedView* view = &frame.view(input.buffer);
    if (!input.views.empty()) {
      storage_.emplace_back();
      view = &frame.Resolve(input, storage_.back());
    }
    views_[count_++] = view;
    StridedView storage;
    all_c_ordered_ &=
        IsCOrdered(frame.IsFull(input.buffer) ? frame.ResolveOrder(input, storage) : *view);
  }
}

void ResolvedInputs::FindOrders(const KernelPlan& plan, const RunFrame& frame,
                                absl::Span<AxisOrder> orders) const {
  int64_t strides[kMaxOperands][kMaxRank];
  StridedView fulls[kMaxOperands];
  ValueOrders::Operand operands[kMaxOperands];
  StridedView iteration;
  frame.FillShape(plan.shape, iteration);
  for (int k = 0; k < count_; ++k) {
    const bool full = frame.IsFull(plan.inputs[k].buffer);
    const StridedView& view = full ? frame.ResolveOrder(plan.inputs[k], fulls[k]) : *views_[k];
    IteratorStrides(view, strides[k]);
    const int64_t unit = ItemSize(plan.input_dtypes[k]);
    const bool aligned = reinterpret_cast<uintptr_t>(view.data) % unit == 0;
    operands[k] = {strides[k], view.strides, unit, /*converted=*/!aligned};
  }
  plan.orders.Run(iteration.rank, iteration.shape, {operands, static_cast<size_t>(count_)}, orders);
}

void LaunchKernel(RunFrame& frame, const CompiledKernel& kernel, const LoopNest& nest,
                  double cost) {
  auto run = [&kernel](char* const* pointers, const int64_t* strides, int64_t n) {
    kernel.Run(pointers, strides, n);
  };
  const int parts = PartsFor(nest.size(), cost);
  const int rounds = RoundsFor(nest.size(), cost, parts);
  if (parts * rounds == 1) return ForEachRun(nest, run);
  const int axis = SplitAxis(nest);
  for (int round = 0; round < rounds && !(round > 0 && frame.ShallStop()); ++round) {
    ParallelFor(parts, [&](int part) {
      ForEachRun(SliceOf(nest, axis, round * parts + part, rounds * parts), run);
    });
  }
}

}  // namespace dynacc
