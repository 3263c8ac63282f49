#include "runtime/executor/row_block_step.h"

#include <algorithm>
#include <atomic>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "boost/container/small_vector.hpp"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/bound_program.h"
#include "runtime/executor/launch_step.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/platform/fp_flags.h"
#include "runtime/platform/thread_pool.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace dynacc::executor {
namespace {

// What the arrays of a block may take: less than the second-level cache, which they share with what
// kernels keep aside.
constexpr int64_t kBlockBytes = 256 * 1024;

// The same where a stage needs many rows to be worth it, and how many times as many as it needs are
// then better.
constexpr int64_t kMostBlockBytes = 1024 * 1024;
constexpr int64_t kBetterThanLeast = 2;

// Of a run that touches this much the last cache holds little afterwards: cores have a few MiB of
// it each. (What the system says of its size is of no use in a virtual machine.)
constexpr int64_t kNonTemporalBytes = 16 << 20;

// Elements that the stages after the first one must have for each line that they fetch of the next
// block; with fewer the first stage fetches, too, although it may wait for lines itself. Measured:
// an RMS norm of float32 has 16, and takes a fifth less time so, a layer norm with 32 a tenth more.
constexpr int64_t kElementsToFetchLine = 24;

// Orders non-temporal stores before whatever tells other threads that they are done.
void StoreFence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// Blocks that a thread shall have at least, so that none waits long for another.
constexpr int64_t kBlocksPerThread = 4;

// Locals that lie in one memory, one after the other in time: those that would share it as whole
// arrays (BufferPlan::aliased_buffer).
using LocalBlock = boost::container::small_vector<int, 4>;

bool HaveOneShape(const RunFrame& frame, int a, int b) {
  const ShapePlan& x = frame.shape_plan(a);
  const ShapePlan& y = frame.shape_plan(b);
  return ItemSize(frame.dtype(a)) == ItemSize(frame.dtype(b)) && x.rank == y.rank &&
         std::equal(x.sizes, x.sizes + x.rank, y.sizes);
}

std::vector<LocalBlock> BlocksOf(const RunFrame& frame, const std::vector<int>& locals) {
  const auto memory_of = [&](int buffer) {
    return frame.aliased_buffer(buffer) < 0 ? buffer : frame.aliased_buffer(buffer);
  };
  std::vector<LocalBlock> blocks;
  for (const int buffer : locals) {
    const auto shared = absl::c_find_if(blocks, [&](const LocalBlock& block) {
      return memory_of(block[0]) == memory_of(buffer) && HaveOneShape(frame, block[0], buffer);
    });
    if (shared == blocks.end()) {
      blocks.push_back({buffer});
    } else {
      shared->push_back(buffer);
    }
  }
  return blocks;
}

// How the rows are cut: `rows` of axis `axis` make a block, at each place of the axes before it.
struct Cut {
  int axis = 0;
  int64_t rows = 0;
  int64_t blocks_along = 0;  // of the axis
  int64_t blocks = 0;        // of all
  int parts = 1;             // threads
  int rounds = 1;
};

// One run of a RowBlockStep whose rows can be cut.
class RowsRun {
 public:
  // `is_large`: the last cache will not hold what the run touches.
  RowsRun(const std::vector<const Step*>& steps, const std::vector<int>& locals, const Cut& cut,
          absl::Span<const int64_t> shape, bool is_large, RunFrame& frame)
      : steps_(steps),
        cut_(cut),
        shape_(shape),
        is_large_(is_large),
        frame_(frame),
        locals_(locals),
        stages_(steps.size()),
        is_local_(frame.num_buffers()) {
    for (const int buffer : locals) is_local_[buffer] = true;
  }

  absl::Status Run() {
    DYNACC_RETURN_IF_ERROR(PlaceBuffers());
    for (size_t i = 0; i < steps_.size(); ++i) {
      steps_[i]->row_stage()->Gather(frame_, stages_[i].all);
      Count(stages_[i].all, *steps_[i]->row_stage());
      Prepare(static_cast<int>(i));
    }
    if (is_large_) PlanMemoryTraffic();
    for (int round = 0; round < cut_.rounds && !(round > 0 && frame_.ShallStop()); ++round) {
      platform::ParallelFor(cut_.parts, [&](int part) {
        const int64_t slice = static_cast<int64_t>(round) * cut_.parts + part;
        const int64_t slices = static_cast<int64_t>(cut_.rounds) * cut_.parts;
        // A part before this one on the same thread may have left flags, which count.
        uint32_t raised = platform::ErrorFlags();
        if (raised != 0) platform::ClearHardwareFlags();
        const int64_t end = cut_.blocks * (slice + 1) / slices;
        for (int64_t block = cut_.blocks * slice / slices; block < end && !gave_up_; ++block) {
          raised |= RunBlock(block, part, /*is_last=*/block + 1 == end);
        }
        if (is_large_) StoreFence();
        platform::RaiseHardwareFlags(raised);
      });
    }
    return absl::OkStatus();
  }

  // Whether some step found that its rows cannot be done apart: nothing counts of what was written.
  bool gave_up() const { return gave_up_; }

 private:
  // One of the steps.
  struct Stage {
    RowOperands all;
    std::unique_ptr<const ReadyRows> block;  // of as many rows as blocks have
    std::unique_ptr<const ReadyRows> rest;   // of those that the last one along the axis has
    bool is_local[kMaxOperands];
    bool non_temporal = false;  // its results are read by nobody here
  };

  // An operand of a stage that lies in memory, and how much of it the two sizes of blocks read.
  struct Fetched {
    int stage;
    int operand;
    int64_t block_bytes;
    int64_t rest_bytes;
  };

  // Where a block begins, by axis up to the cut one.
  struct Place {
    int64_t at[kMaxRank];
    bool is_rest;
  };

  // Of the last block along the axis, if it has fewer than the others; otherwise 0.
  int64_t RestRows() const { return shape_[cut_.axis] % cut_.rows; }

  void Prepare(int i) {
    Stage& stage = stages_[i];
    for (int k = 0; k < stage.all.nest.num_operands; ++k) {
      stage.is_local[k] = is_local_[stage.all.buffers[k]];
    }
    const RowStage& step = *steps_[i]->row_stage();
    stage.block = step.Prepare(frame_, PartOf(stage, cut_.rows));
    if (RestRows() > 0) stage.rest = step.Prepare(frame_, PartOf(stage, RestRows()));
  }

  // The stage's nest with so many rows, at the first place.
  LoopNest PartOf(const Stage& stage, int64_t rows) const {
    LoopNest part = stage.all.nest;
    std::fill_n(part.shape, cut_.axis, 1);
    part.shape[cut_.axis] = rows;
    return part;
  }

  absl::Status PlaceBuffers() {
    size_t scratch = 0;
    for (const auto& step : steps_) {
      scratch = std::max(scratch, step->row_stage()->scratch_bytes());
    }
    const std::vector<LocalBlock> blocks = BlocksOf(frame_, locals_);
    part_bytes_ = Aligned(scratch);
    for (const LocalBlock& block : blocks) part_bytes_ += Aligned(BlockBytes(block[0]));
    if (part_bytes_ > 0 && !memory_.Allocate(part_bytes_ * cut_.parts)) {
      return absl::ResourceExhaustedError("no memory for blocks of rows");
    }
    char* next = memory_.data() + Aligned(scratch);
    for (const LocalBlock& block : blocks) {
      for (const int buffer : block) PlaceLocal(buffer, next);
      next += Aligned(BlockBytes(block[0]));
    }
    for (const auto& step : steps_) {
      for (const int buffer : step->row_stage()->outputs()) {
        if (!is_local_[buffer]) DYNACC_RETURN_IF_ERROR(frame_.Allocate(buffer));
      }
    }
    return absl::OkStatus();
  }

  static size_t Aligned(size_t bytes) { return (bytes + kernel::kLoopGap + 63) & ~size_t{63}; }

  // Of a local: the bytes that a block of it takes.
  size_t BlockBytes(int buffer) const {
    const StridedView& view = frame_.view(buffer);
    size_t bytes = ItemSize(view.dtype) * cut_.rows;
    for (int axis = cut_.axis + 1; axis < view.rank; ++axis) bytes *= view.shape[axis];
    return bytes;
  }

  // The axes before the cut stand still in a local: each block lies where the last one lay.
  void PlaceLocal(int buffer, char* at) {
    StridedView view = frame_.view(buffer);
    view.data = at;
    std::fill_n(view.strides, cut_.axis, 0);
    frame_.Alias(buffer, view);
  }

  void Count(const RowOperands& operands, const RowStage& stage) {
    const int num_outputs = static_cast<int>(stage.outputs().size());
    int64_t read = 0, written = 0;
    for (int k = 0; k < operands.nest.num_operands; ++k) {
      const bool is_output = k >= operands.nest.num_operands - num_outputs;
      const int64_t bytes = operands.nest.size() * ItemSize(frame_.view(operands.buffers[k]).dtype);
      (is_output ? written : read) += bytes;
    }
    frame_.CountLaunch(read, written);
  }

  // What is written for good and what is read from memory.
  void PlanMemoryTraffic() {
    std::vector<bool> is_made(is_local_), is_seen(is_local_);
    for (const auto& step : steps_) {
      for (const int buffer : step->row_stage()->outputs()) is_made[buffer] = true;
    }
    for (size_t i = steps_.size(); i-- > 0;) {
      const RowStage& stage = *steps_[i]->row_stage();
      stages_[i].non_temporal = absl::c_none_of(stage.outputs(), [&](int b) { return is_seen[b]; });
      for (const int buffer : stage.inputs()) is_seen[buffer] = true;
    }
    for (size_t i = 0; i < steps_.size(); ++i) {
      const int num_inputs = static_cast<int>(steps_[i]->row_stage()->inputs().size());
      for (int k = 0; k < num_inputs; ++k) {
        const int buffer = stages_[i].all.buffers[k];
        if (!is_made[buffer] && frame_.kind(buffer) != BufferKind::kScalar) {
          AddFetched(static_cast<int>(i), k);
        }
        is_made[buffer] = true;  // once
      }
    }
    for (size_t i = 1; i < steps_.size(); ++i) elements_ahead_ += ElementsAhead(i);
    int64_t lines = 0;
    for (const Fetched& fetched : fetched_) lines += fetched.block_bytes / ReadAhead::kLine;
    first_fetches_ = elements_ahead_ < kElementsToFetchLine * lines;
    if (first_fetches_) elements_ahead_ += ElementsAhead(0);
  }

  // Those of a block for which the stage advances a ReadAhead.
  int64_t ElementsAhead(size_t stage) const {
    return steps_[stage]->row_stage()->reads_ahead() ? PartOf(stages_[stage], cut_.rows).size() : 0;
  }

  // Unless there are gaps in it.
  void AddFetched(int stage, int operand) {
    const int64_t block_bytes = BytesOf(stages_[stage], operand, cut_.rows);
    if (block_bytes == 0) return;
    fetched_.push_back({stage, operand, block_bytes, BytesOf(stages_[stage], operand, RestRows())});
  }

  // That so many rows of an operand take; 0: there are gaps between them.
  int64_t BytesOf(const Stage& stage, int operand, int64_t rows) const {
    const int64_t item = ItemSize(frame_.view(stage.all.buffers[operand]).dtype);
    const LoopNest part = PartOf(stage, rows);
    int64_t bytes = item;
    for (int axis = 0; axis < part.rank; ++axis) {
      bytes += (part.shape[axis] - 1) * part.strides[axis][operand];
    }
    return bytes == part.size() * item ? bytes : 0;
  }

  // Has `ahead` fetch what the block after this one reads from memory while later stages run.
  void PlanAhead(int64_t block, ReadAhead& ahead) const {
    ahead.Start(elements_ahead_);
    const Place next = PlaceOf(block + 1);
    for (const Fetched& fetched : fetched_) {
      ahead.Add(PointerOf(stages_[fetched.stage], fetched.operand, next, 0),
                next.is_rest ? fetched.rest_bytes : fetched.block_bytes);
    }
    ahead.GiveUpIfHasty();
  }

  // The flags that count.
  uint32_t RunBlock(int64_t block, int part, bool is_last) {
    uint32_t raised = 0;
    ReadAhead ahead;
    if (is_large_ && !is_last) PlanAhead(block, ahead);
    const Place place = PlaceOf(block);
    char* const memory = memory_.data() + part_bytes_ * part;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Stage& stage = stages_[i];
      char* pointers[kMaxOperands];
      for (int k = 0; k < stage.all.nest.num_operands; ++k) {
        pointers[k] = PointerOf(stage, k, place, part);
      }
      const RowHints hints = {stage.non_temporal,
                              (i == 0 && !first_fetches_) || ahead.is_idle() ? nullptr : &ahead};
      if (!(place.is_rest ? stage.rest : stage.block)->Run(pointers, memory, hints)) {
        gave_up_ = true;
        break;
      }
      const uint32_t flags = platform::ErrorFlags();
      if (flags == 0) continue;
      if (steps_[i]->reports_flags) raised |= flags & steps_[i]->reported_flags;
      platform::ClearHardwareFlags();
    }
    return raised;
  }

  Place PlaceOf(int64_t block) const {
    Place place;
    place.at[cut_.axis] = block % cut_.blocks_along * cut_.rows;
    place.is_rest = place.at[cut_.axis] + cut_.rows > shape_[cut_.axis];
    int64_t rest = block / cut_.blocks_along;
    for (int axis = cut_.axis - 1; axis >= 0; --axis) {
      place.at[axis] = rest % shape_[axis];
      rest /= shape_[axis];
    }
    return place;
  }

  char* PointerOf(const Stage& stage, int operand, const Place& place, int part) const {
    char* pointer = stage.all.nest.pointers[operand];
    if (stage.is_local[operand]) return pointer + part_bytes_ * part;
    for (int axis = 0; axis <= cut_.axis; ++axis) {
      pointer += place.at[axis] * stage.all.nest.strides[axis][operand];
    }
    return pointer;
  }

  const std::vector<const Step*>& steps_;
  const Cut& cut_;
  const absl::Span<const int64_t> shape_;
  const bool is_large_;
  RunFrame& frame_;
  const std::vector<int>& locals_;
  std::vector<Stage> stages_;
  std::vector<Fetched> fetched_;
  int64_t elements_ahead_ = 0;  // that a block has while the next one is fetched
  bool first_fetches_ = false;  // the first stage does so, too
  std::vector<bool> is_local_;  // by buffer
  ScratchBlock memory_;         // of each part: what stages need, then a block of each local
  size_t part_bytes_ = 0;
  std::atomic<bool> gave_up_{false};
};

}  // namespace

RowBlockStep::RowBlockStep(std::vector<std::unique_ptr<const Step>> steps,
                           std::vector<const Step*> stages, std::vector<ScalarId> rows,
                           std::vector<int> locals)
    : steps_(std::move(steps)),
      stages_(std::move(stages)),
      rows_(std::move(rows)),
      locals_(std::move(locals)) {
  for (const Step* const step : stages_) {
    const RowStage* const stage = step->row_stage();
    DYNACC_CHECK(stage != nullptr) << "a step without rows";
    for (const int buffer : stage->inputs()) {
      const bool known = absl::c_linear_search(inputs_, buffer) ||
                         absl::c_linear_search(locals_, buffer) ||
                         absl::c_linear_search(results_, buffer);
      if (!known) inputs_.push_back(buffer);
    }
    for (const int buffer : stage->outputs()) {
      if (!absl::c_linear_search(locals_, buffer)) results_.push_back(buffer);
    }
  }
}

namespace {

int64_t SizeOf(const RunFrame& frame, const ShapePlan& plan) {
  int64_t size = 1;
  for (int i = 0; i < plan.rank; ++i) size *= frame.Size(plan.sizes[i]);
  return size;
}

}  // namespace

// The bytes that the steps touch, each array counted once.
int64_t RowBlockStep::BytesTouched(const RunFrame& frame) const {
  int64_t elements = 0;
  for (const Step* const step : stages_) {
    elements = std::max(elements, SizeOf(frame, step->row_stage()->iteration()));
  }
  int64_t bytes = 0;
  for (const int buffer : inputs_) {
    if (frame.kind(buffer) == BufferKind::kScalar) continue;
    const StridedView& view = frame.view(buffer);
    bytes += std::min(view.size(), elements) * ItemSize(view.dtype);
  }
  const auto add = [&](int buffer) {
    bytes += SizeOf(frame, frame.shape_plan(buffer)) * ItemSize(frame.dtype(buffer));
  };
  for (const LocalBlock& block : BlocksOf(frame, locals_)) add(block[0]);
  for (const int buffer : results_) add(buffer);
  return bytes;
}

bool RowBlockStep::CanCut(RunFrame& frame) const {
  for (const Step* const step : stages_) {
    if (!step->row_stage()->CanCut(frame)) return false;
  }
  for (const int buffer : locals_) {
    frame.Describe(buffer);
    if (!frame.contiguous(buffer)) return false;
  }
  return true;
}

int64_t RowBlockStep::LeastRows(const RunFrame& frame, int axis) const {
  int64_t least = 1;
  for (const Step* const step : stages_) {
    least = std::max(least, step->row_stage()->LeastRows(frame, axis));
  }
  return least;
}

namespace {

// Fills all but `parts` and `rounds`. False if the rows are better left together. `least_rows`: of
// an axis, for a block.
bool ChooseBlocks(absl::Span<const int64_t> shape, int64_t bytes, int parts,
                  absl::FunctionRef<int64_t(int axis)> least_rows, Cut& cut) {
  int64_t before = 1;  // places of the axes before cut.axis
  const int last = static_cast<int>(shape.size()) - 1;
  int64_t row_bytes = bytes / shape[0];
  while (row_bytes > kBlockBytes && cut.axis < last) {
    before *= shape[cut.axis++];
    row_bytes /= shape[cut.axis];
  }
  if (row_bytes > kBlockBytes) return false;
  row_bytes = std::max<int64_t>(1, row_bytes);
  const int64_t all_rows = before * shape[cut.axis];
  if (parts > 1 && all_rows < parts) return false;
  const int64_t least = least_rows(cut.axis);
  cut.rows = std::max(kBlockBytes / row_bytes,
                      std::min(least * kBetterThanLeast, kMostBlockBytes / row_bytes));
  if (cut.rows < least) return false;
  if (parts > 1) {
    cut.rows = std::min(cut.rows, std::max(least, all_rows / (parts * kBlocksPerThread)));
  }
  cut.rows = std::min(cut.rows, shape[cut.axis]);
  cut.blocks_along = (shape[cut.axis] + cut.rows - 1) / cut.rows;
  cut.blocks = before * cut.blocks_along;
  return cut.blocks > 1;
}

}  // namespace

Work RowBlockStep::WorkIn(const RunFrame& frame) const {
  Work work;
  for (const Step* stage : stages_) work += stage->WorkIn(frame);
  return work;
}

absl::Status RowBlockStep::Run(RunFrame& frame) const {
  int64_t shape[kMaxRank];
  bool is_empty = false;
  for (size_t axis = 0; axis < rows_.size(); ++axis) {
    shape[axis] = frame.Size(rows_[axis]);
    is_empty |= shape[axis] == 0;
  }
  const int64_t bytes = is_empty ? 0 : BytesTouched(frame);
  if (bytes <= kBlockBytes) return RunWhole(frame);
  double cost = 0;
  for (const Step* const step : stages_) {
    const RowStage& stage = *step->row_stage();
    cost += stage.Cost(frame) * static_cast<double>(SizeOf(frame, stage.iteration()));
  }
  Cut cut;
  cut.parts = PartsFor(1, cost);
  cut.rounds = RoundsFor(1, cost, cut.parts);
  const absl::Span<const int64_t> rows(shape, rows_.size());
  const auto least_rows = [&](int axis) { return LeastRows(frame, axis); };
  if (!ChooseBlocks(rows, bytes, cut.parts, least_rows, cut) || !CanCut(frame)) {
    return RunWhole(frame);
  }
  const uint32_t flags_before = platform::ErrorFlags();
  RowsRun run(stages_, locals_, cut, rows, bytes >= kNonTemporalBytes, frame);
  DYNACC_RETURN_IF_ERROR(run.Run());
  if (run.gave_up()) {
    platform::ClearHardwareFlags();
    platform::RaiseHardwareFlags(flags_before);
    return RunWhole(frame);
  }
  for (const Step* const step : stages_) {
    for (const int buffer : step->releases) frame.Release(buffer);
  }
  return absl::OkStatus();
}

// Small arrays go step by step.
bool RowBlockStep::Bind(Binder& binder) const {
  for (const ScalarId size : rows_) binder.Keep(size);
  if (BytesTouched(binder.frame()) > kBlockBytes) return false;
  return absl::c_all_of(steps_, [&](const auto& step) { return binder.BindStep(*step); });
}

// Step by step, as the executor would.
absl::Status RowBlockStep::RunWhole(RunFrame& frame) const {
  uint32_t raised = 0;
  for (const auto& step : steps_) {
    if (frame.ShallStop()) break;
    DYNACC_RETURN_IF_ERROR(step->Run(frame));
    const uint32_t flags = platform::ErrorFlags();
    if (flags != 0) {
      if (step->reports_flags) raised |= flags & step->reported_flags;
      platform::ClearHardwareFlags();
    }
    for (const int buffer : step->releases) frame.Release(buffer);
  }
  platform::RaiseHardwareFlags(raised);
  return absl::OkStatus();
}

}  // namespace dynacc::executor
