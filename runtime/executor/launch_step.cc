#include "runtime/executor/launch_step.h"

#include <algorithm>

#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/bound_program.h"
#include "runtime/executor/rolled_nest.h"
#include "runtime/executor/row_packing.h"
#include "runtime/executor/tiled_transpose.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::executor {
namespace {

// Waking a thread takes up to some 50 us; a part should be worth more.
constexpr double kNanosecondsPerPart = 150'000;

// The same where a worker is awake already (WorkersAreAwake).
constexpr double kNanosecondsPerQuickPart = 8'000;

// The work of one thread after which a long launch asks whether to stop: short beside what a user
// who presses Ctrl-C notices, even where the estimate is some times too low.
constexpr double kNanosecondsPerRound = 10'000'000;

int SumOfSizes(const std::vector<DType>& dtypes) {
  int bytes = 0;
  for (const DType dtype : dtypes) bytes += ItemSize(dtype);
  return bytes;
}

std::vector<DType> ArrayInputs(const KernelPlan& plan) {
  std::vector<DType> dtypes;
  for (size_t i = 0; i < plan.input_dtypes.size(); ++i) {
    const bool is_number = i < plan.input_is_number.size() && plan.input_is_number[i];
    if (!is_number) dtypes.push_back(plan.input_dtypes[i]);
  }
  return dtypes;
}

bool SameShape(const ShapePlan& a, const ShapePlan& b) {
  return a.rank == b.rank && std::equal(a.sizes, a.sizes + a.rank, b.sizes);
}

// A number that every element shares, or a whole Full, which is in C order.
bool IsNumber(const RunFrame& frame, const OperandPlan& operand) {
  return frame.view(operand.buffer).rank == 0 ||
         (frame.kind(operand.buffer) == BufferKind::kScalar && operand.views.empty());
}

}  // namespace

Work WorkOf(const kernel::Kernel& kernel) {
  Work work;
  for (const kernel::KernelStep& step : kernel.steps) {
    const bool is_arithmetic = !step.library && IsEmitted(step.op, step.dtype);
    (is_arithmetic ? work.arithmetic : work.functions) += ItemSize(step.dtype);
  }
  return work;
}

int RoundsFor(int64_t elements, double cost, int parts) {
  return static_cast<int>(static_cast<double>(elements) * cost / kNanosecondsPerRound / parts) + 1;
}

int PartsFor(int64_t elements, double cost) {
  const double nanoseconds = static_cast<double>(elements) * cost;
  double parts = nanoseconds / kNanosecondsPerPart;
  if (parts < 2 && nanoseconds >= 2 * kNanosecondsPerQuickPart && platform::WorkersAreAwake()) {
    parts = nanoseconds / kNanosecondsPerQuickPart;
  }
  if (parts < 2) return 1;
  return static_cast<int>(std::min<double>(parts, platform::ThreadCount()));
}

LaunchStep::LaunchStep(KernelPlan plan, std::vector<int> outputs)
    : plan_(std::move(plan)),
      outputs_(std::move(outputs)),
      bytes_read_(SumOfSizes(ArrayInputs(plan_))),
      bytes_written_(SumOfSizes(plan_.output_dtypes)) {
  DYNACC_CHECK(plan_.inputs.size() + outputs_.size() <= kMaxOperands);
  for (const OperandPlan& input : plan_.inputs) {
    has_views_ |= !input.views.empty();
    has_rolls_ |= !input.shifts.empty();
  }
}

absl::Status LaunchStep::Run(RunFrame& frame) const {
  for (const int output : outputs_) DYNACC_RETURN_IF_ERROR(frame.Allocate(output));
  if (has_rolls_) {
    RunRolled(frame);
  } else if (IsFlat(frame)) {
    RunFlat(frame);
  } else {
    RunNest(frame);
  }
  return absl::OkStatus();
}

bool LaunchStep::AsFlat(const std::vector<BufferPlan>& buffers, FlatLaunch& launch) const {
  if (has_rolls_) return false;
  for (size_t k = 0; k < plan_.inputs.size(); ++k) {
    const OperandPlan& input = plan_.inputs[k];
    const BufferPlan& buffer = buffers[input.buffer];
    const bool is_number =
        buffer.shape.rank == 0 || (buffer.kind == BufferKind::kScalar && input.views.empty());
    const bool is_whole = input.views.empty() && SameShape(buffer.shape, plan_.shape);
    if (!is_number && !is_whole) return false;
    launch.operands.push_back(input.buffer);
    launch.strides.push_back(is_number ? 0 : ItemSize(plan_.input_dtypes[k]));
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const BufferPlan& buffer = buffers[outputs_[i]];
    if (buffer.kind != BufferKind::kOutput || !SameShape(buffer.shape, plan_.shape)) return false;
    launch.operands.push_back(outputs_[i]);
    launch.strides.push_back(ItemSize(plan_.output_dtypes[i]));
  }
  launch.kernel = plan_.kernel.get();
  launch.shape = plan_.shape;
  launch.outputs = outputs_;
  launch.bytes_read = bytes_read_;
  launch.bytes_written = bytes_written_;
  launch.cost = plan_.cost;
  return true;
}

// Whether all operands are whole arrays in C order, or numbers: then the kernel runs once, along
// everything.
bool LaunchStep::IsFlat(const RunFrame& frame) const {
  for (const int output : outputs_) {
    if (!frame.contiguous(output)) return false;
  }
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

void LaunchStep::RunFlat(RunFrame& frame) const {
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
    pointers[k] = frame.view(outputs_[i]).data;
    strides[k] = ItemSize(plan_.output_dtypes[i]);
  }
  frame.CountLaunch(size * bytes_read_, size * bytes_written_);
  if (size == 0) return;
  if (PartsFor(size, plan_.cost) == 1) return plan_.kernel->Run(pointers, strides, size);
  LoopNest nest;
  StartNest(nest, 1, &size);
  for (int i = 0; i < k; ++i) AddOperand(nest, pointers[i], &strides[i]);
  LaunchKernel(frame, plan_, nest);
}

void LaunchStep::GatherNest(const RunFrame& frame, LoopNest& nest) const {
  const ResolvedInputs inputs(plan_, frame);
  StridedView shape;
  frame.FillShape(plan_.shape, shape);
  StartNest(nest, shape.rank, shape.shape);
  for (size_t k = 0; k < plan_.inputs.size(); ++k) {
    AddOperand(nest, inputs[k].data, inputs[k].strides);
  }
  for (const int output : outputs_) {
    AddOperand(nest, frame.view(output).data, frame.view(output).strides);
  }
}

void LaunchStep::Gather(const RunFrame& frame, RowOperands& operands) const {
  GatherNest(frame, operands.nest);
  const std::vector<int> read = inputs();
  std::copy(outputs_.begin(), outputs_.end(),
            std::copy(read.begin(), read.end(), operands.buffers));
}

namespace {

class ReadyLaunch : public ReadyRows {
 public:
  ReadyLaunch(const KernelPlan& plan, const LoopNest& part)
      : kernel_(*plan.kernel), inputs_(plan.input_dtypes), nest_(part) {
    if (nest_.size() > 0) OptimizeNest(nest_);
    packs_ = CanPackRows(nest_, static_cast<int>(inputs_.size()));
  }

  bool Run(char* const* pointers, char*, const RowHints& hints) const override {
    LoopNest nest = nest_;
    std::copy_n(pointers, nest.num_operands, nest.pointers);
    auto run = [&](char* const* at, const int64_t* strides, int64_t n, const int64_t* row_strides,
                   int64_t rows) {
      const kernel::KernelRows all = {rows, row_strides, nest.num_operands};
      if (hints.ahead != nullptr) {
        RunAhead(hints, at, strides, n, all);
      } else {
        kernel_.RunRows(at, strides, n, all, hints.non_temporal);
      }
    };
    if (packs_) {
      ForEachPackedRun(nest, inputs_, [&](char* const* at, const int64_t* strides, int64_t n) {
        run(at, strides, n, strides, 1);
      });
    } else {
      ForEachRows(nest, run);
    }
    return true;
  }

 private:
  // With a share of what is read ahead after each kPiece of its elements.
  void RunAhead(const RowHints& hints, char* const* pointers, const int64_t* strides, int64_t n,
                const kernel::KernelRows& rows) const {
    constexpr int64_t kPiece = 1024;
    for (int64_t row = 0; row < rows.count; ++row) {
      for (int64_t begin = 0; begin < n; begin += kPiece) {
        const int64_t count = std::min(kPiece, n - begin);
        char* at[kMaxOperands];
        for (int k = 0; k < rows.num_operands; ++k) {
          at[k] = pointers[k] + row * rows.strides[k] + begin * strides[k];
        }
        kernel_.RunRows(at, strides, count, {1, strides, rows.num_operands}, hints.non_temporal);
        hints.ahead->Advance(count);
      }
    }
  }

  const kernel::CompiledKernel& kernel_;
  const absl::Span<const DType> inputs_;
  LoopNest nest_;
  bool packs_;
};

}  // namespace

std::unique_ptr<const ReadyRows> LaunchStep::Prepare(const RunFrame&, const LoopNest& part) const {
  return std::make_unique<ReadyLaunch>(plan_, part);
}

std::vector<int> LaunchStep::inputs() const {
  std::vector<int> buffers;
  for (const OperandPlan& input : plan_.inputs) buffers.push_back(input.buffer);
  return buffers;
}

void LaunchStep::RunNest(RunFrame& frame) const {
  LoopNest nest;
  GatherNest(frame, nest);
  const int64_t size = nest.size();
  frame.CountLaunch(size * bytes_read_, size * bytes_written_);
  if (size == 0) return;
  OptimizeNest(nest);
  LaunchKernel(frame, plan_, nest);
}

void LaunchStep::RunRolled(RunFrame& frame) const {
  const ResolvedInputs inputs(plan_, frame);
  StridedView shape;
  frame.FillShape(plan_.shape, shape);
  RolledNest nest(shape.rank, shape.shape);
  for (size_t k = 0; k < plan_.inputs.size(); ++k) {
    int64_t shifts[kMaxRank] = {};
    const std::vector<ScalarId>& rolled = plan_.inputs[k].shifts;
    for (size_t axis = 0; axis < rolled.size(); ++axis) shifts[axis] = frame.Size(rolled[axis]);
    nest.AddOperand(inputs[k].data, inputs[k].strides, shifts);
  }
  const int64_t none[kMaxRank] = {};
  for (const int output : outputs_) {
    nest.AddOperand(frame.view(output).data, frame.view(output).strides, none);
  }
  const int64_t size = shape.size();
  frame.CountLaunch(size * bytes_read_, size * bytes_written_);
  if (size == 0) return;
  nest.ForEachBox([&](LoopNest& box) {
    OptimizeNest(box);
    LaunchKernel(frame, plan_, box);
  });
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
  }
}

namespace {

// All of a nest on this thread.
void RunHere(const KernelPlan& plan, const LoopNest& nest) {
  if (CanPackRows(nest, static_cast<int>(plan.input_dtypes.size()))) {
    return ForEachPackedRun(nest, plan.input_dtypes,
                            [&plan](char* const* pointers, const int64_t* strides, int64_t n) {
                              plan.kernel->Run(pointers, strides, n);
                            });
  }
  ForEachRowsSideBySide(nest, plan.input_dtypes,
                        [&](char* const* pointers, const int64_t* strides, int64_t n,
                            const int64_t* row_strides, int64_t rows) {
                          plan.kernel->RunRows(pointers, strides, n,
                                               {rows, row_strides, nest.num_operands},
                                               /*non_temporal=*/false);
                        });
}

// A launch as a whole.
class BoundLaunch : public ReadyRows {
 public:
  BoundLaunch(const KernelPlan& plan, const LoopNest& nest) : plan_(plan), nest_(nest) {
    OptimizeNest(nest_);
  }

  bool Run(char* const* pointers, char*, const RowHints&) const override {
    if (nest_.rank == 1) {
      plan_.kernel->Run(pointers, nest_.strides[0], nest_.shape[0]);
      return true;
    }
    LoopNest nest = nest_;
    std::copy_n(pointers, nest.num_operands, nest.pointers);
    RunHere(plan_, nest);
    return true;
  }

 private:
  const KernelPlan& plan_;
  LoopNest nest_;
};

}  // namespace

bool LaunchStep::Bind(Binder& binder) const {
  const RunFrame& frame = binder.frame();
  const int64_t size = frame.ElementsOf(plan_.shape);
  if (has_rolls_ || !Binder::IsShort(static_cast<double>(size) * plan_.cost)) return false;
  binder.Keep(plan_.shape);
  for (const int output : outputs_) binder.Allocate(output);
  if (size == 0) return true;
  std::vector<BoundAddress> operands;
  for (const OperandPlan& input : plan_.inputs) operands.push_back(binder.AddressOf(input));
  for (const int output : outputs_) operands.push_back(binder.AddressOf(output));
  LoopNest nest;
  GatherNest(frame, nest);
  binder.Add(std::make_unique<BoundLaunch>(plan_, nest), std::move(operands));
  return true;
}

void LaunchKernel(RunFrame& frame, const KernelPlan& plan, const LoopNest& nest) {
  const int parts = PartsFor(nest.size(), plan.cost);
  const int rounds = RoundsFor(nest.size(), plan.cost, parts);
  if (parts * rounds == 1) return RunHere(plan, nest);
  const int axis = SplitAxis(nest);
  for (int round = 0; round < rounds && !(round > 0 && frame.ShallStop()); ++round) {
    platform::ParallelFor(parts, [&](int part) {
      RunHere(plan, SliceOf(nest, axis, round * parts + part, rounds * parts));
    });
  }
}

}  // namespace dynacc::executor
