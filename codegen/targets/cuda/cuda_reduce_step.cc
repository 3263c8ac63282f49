#include <algorithm>
#include <cstdlib>

#include "absl/cleanup/cleanup.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/kernel_parameters.h"

namespace dynacc::cuda {
namespace {

// How a reduction is cut depends on its sizes alone, never on the device, so that the order of
// additions and with it the bits are the same everywhere. Enough blocks for the largest devices:
constexpr int64_t kWantedBlocks = 512;
// Elements that a block (of a row's part) or a thread (of a column's) should have at least.
constexpr int64_t kRowPart = 4096;
constexpr int64_t kColumnPart = 64;
constexpr int kColumnThreads = 128;
constexpr int64_t kMaxGrid = int64_t{1} << 20;  // rows beyond it are taken in turns

// The axes of a reduction: `nest` has the kept ones, then the reduced ones.
struct ReductionAxes {
  executor::LoopNest nest;
  int kept = 0;
  int64_t rows = 1, length = 1;
  bool by_columns = false;  // the elements of one row are further apart than those of two rows
};

// The longest step that an input makes along an axis; the result is the last operand.
int64_t StepOf(const executor::LoopNest& nest, int axis) {
  int64_t step = 0;
  for (int k = 0; k + 1 < nest.num_operands; ++k) {
    step = std::max<int64_t>(step, std::abs(nest.strides[axis][k]));
  }
  return step;
}

// Sorts axes [from, to) by their steps, the shortest first, and joins those that are walked evenly.
// Returns the new end; axes from `to` on follow.
int SortAndJoin(executor::LoopNest& nest, int from, int to) {
  for (int i = from + 1; i < to; ++i) {
    for (int j = i; j > from && StepOf(nest, j - 1) > StepOf(nest, j); --j)
      executor::SwapAxes(nest, j - 1, j);
  }
  int last = from;
  for (int i = from + 1; i < to; ++i) {
    executor::SwapAxes(nest, last + 1, i);
    if (executor::CanMerge(nest, last, nest.num_operands)) {
      nest.shape[last] *= nest.shape[last + 1];
    } else {
      ++last;
    }
  }
  return to == from ? from : last + 1;
}

// Fills in what follows from `nest` as it came: all axes in C order, bit i of `reduced` for axis i.
void ArrangeAxes(uint32_t reduced, ReductionAxes& axes) {
  executor::LoopNest& nest = axes.nest;
  executor::LoopNest kept = nest, summed = nest;
  kept.rank = summed.rank = 0;
  for (int axis = 0; axis < nest.rank; ++axis) {
    (reduced >> axis & 1 ? axes.length : axes.rows) *= nest.shape[axis];
    if (nest.shape[axis] == 1) continue;
    executor::LoopNest& to = reduced >> axis & 1 ? summed : kept;
    to.shape[to.rank] = nest.shape[axis];
    std::copy_n(nest.strides[axis], nest.num_operands, to.strides[to.rank]);
    ++to.rank;
  }
  kept.rank = SortAndJoin(kept, 0, kept.rank);
  summed.rank = SortAndJoin(summed, 0, summed.rank);
  axes.kept = kept.rank;
  axes.by_columns = kept.rank > 0 && (summed.rank == 0 || StepOf(kept, 0) < StepOf(summed, 0));
  nest.rank = kept.rank + summed.rank;
  for (int axis = 0; axis < nest.rank; ++axis) {
    const bool is_kept = axis < kept.rank;
    const executor::LoopNest& from = is_kept ? kept : summed;
    const int at = is_kept ? axis : axis - kept.rank;
    nest.shape[axis] = from.shape[at];
    std::copy_n(from.strides[at], nest.num_operands, nest.strides[axis]);
  }
}

struct Cut {
  unsigned grid_x = 1, block_x = 1;
  int64_t parts = 1;
};

Cut CutRows(const ReductionAxes& axes) {
  Cut cut;
  cut.parts = std::clamp<int64_t>(kWantedBlocks / axes.rows, 1,
                                  std::max<int64_t>(axes.length / kRowPart, 1));
  const int64_t each = axes.length / cut.parts;
  cut.block_x = each <= 128 ? 32 : each <= 1024 ? 128 : kCudaBlockThreads;
  cut.grid_x = static_cast<unsigned>(std::min(axes.rows, kMaxGrid));
  return cut;
}

Cut CutColumns(const ReductionAxes& axes) {
  Cut cut;
  cut.block_x = kColumnThreads;
  const int64_t blocks = (axes.rows + kColumnThreads - 1) / kColumnThreads;
  cut.parts = std::clamp<int64_t>(kWantedBlocks / blocks, 1,
                                  std::max<int64_t>(axes.length / kColumnPart, 1));
  cut.grid_x = static_cast<unsigned>(std::min(blocks, kMaxGrid));
  return cut;
}

// Of what a kernel combines with (Accumulator in prelude/reduce.h).
int AccumulatorSize(DType dtype) {
  return dtype == DType::kFloat16 ? ItemSize(DType::kFloat32) : ItemSize(dtype);
}

}  // namespace

CudaReduceStep::CudaReduceStep(std::shared_ptr<const CudaKernelModule> module,
                               CudaReduceKernels kernels, executor::ReducePlan plan)
    : module_(std::move(module)), kernels_(kernels), plan_(std::move(plan)) {
  on_device = true;
  reports_flags = false;  // a device has none
  for (const int axis : plan_.axes) reduced_ |= 1u << axis;
  inputs_ = plan_.producer.inputs;
  if (plan_.producer.kernel == nullptr) inputs_ = {plan_.source};
}

absl::Status CudaReduceStep::Run(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  const CudaScope scope(run.device());
  DYNACC_RETURN_IF_ERROR(scope.status());
  return run.Explain(Reduce(frame));
}

absl::Status CudaReduceStep::Reduce(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  boost::container::small_vector<DeviceOperand, 8> operands(inputs_.size() + 1);
  for (size_t k = 0; k < inputs_.size(); ++k) {
    DYNACC_RETURN_IF_ERROR(run.Read(frame, inputs_[k], operands[k]));
  }
  DeviceOperand& result = operands.back();
  DYNACC_RETURN_IF_ERROR(run.Write(frame, plan_.output, result));
  StridedView source = operands[0].view;
  if (plan_.producer.kernel != nullptr) frame.FillShape(plan_.producer.shape, source);
  int64_t result_strides[kMaxRank] = {};
  for (int i = 0, at = 0; i < source.rank; ++i) {
    const bool reduced = reduced_ >> i & 1;
    if (!reduced) result_strides[i] = result.view.strides[at];
    if (!reduced || plan_.keepdims) ++at;
  }
  ReductionAxes axes;
  executor::StartNest(axes.nest, source.rank, source.shape);
  for (size_t k = 0; k < inputs_.size(); ++k) {
    executor::AddOperand(axes.nest, operands[k].view.data, operands[k].view.strides);
  }
  executor::AddOperand(axes.nest, result.view.data, result_strides);
  ArrangeAxes(reduced_, axes);
  const int64_t size = axes.rows * axes.length;
  frame.CountLaunch(size * ItemSize(plan_.dtype), axes.rows * ItemSize(plan_.dtype));
  if (axes.length == 0 && axes.rows > 0 && !plan_.identity.has_value()) {
    return absl::InvalidArgumentError("reduction of nothing without an identity");
  }
  if (axes.rows > 0) {
    const Cut cut = axes.by_columns ? CutColumns(axes) : CutRows(axes);
    KernelParameters::Reduction parameters{axes.kept, axes.rows, axes.length, cut.parts, 0};
    if (cut.parts > 1) {
      DYNACC_ASSIGN_OR_RETURN(
          parameters.partials,
          run.AllocateScratch(cut.parts * axes.rows * AccumulatorSize(plan_.dtype)));
    }
    const absl::Cleanup free = [&] {
      if (parameters.partials != 0) run.FreeScratch(parameters.partials);
    };
    KernelParameters block;
    block.SetReduction(axes.nest, {operands.data(), operands.size()}, parameters);
    CudaLaunch launch;
    const CudaKernel& first = axes.by_columns ? kernels_.columns : kernels_.rows;
    launch.function = first.function;
    launch.name = first.name.c_str();
    launch.grid_x = cut.grid_x;
    launch.grid_y = static_cast<unsigned>(cut.parts);
    launch.block_x = cut.block_x;
    DYNACC_RETURN_IF_ERROR(run.Launch(launch, block.all()));
    if (cut.parts > 1) {
      launch.function = kernels_.combine.function;
      launch.name = kernels_.combine.name.c_str();
      launch.grid_x = static_cast<unsigned>(std::min(axes.rows, kMaxGrid));
      launch.grid_y = 1;
      launch.block_x = cut.parts <= 64 ? 32 : 128;
      DYNACC_RETURN_IF_ERROR(run.Launch(launch, block.all()));
    }
  }
  run.Wrote(plan_.output);
  return absl::OkStatus();
}

}  // namespace dynacc::cuda
