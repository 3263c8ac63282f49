#include "runtime/cpu/tiles/tile_kernel.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/tiles/element_loops.h"
#include "runtime/kernel/kernel_text.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

// Whether the loop is the array library's, of which some give other last bits where their results
// have gaps between them (magnitudes of complex numbers).
bool IsLibrarys(const kernel::KernelStep& step) {
  return step.op != Op::kCast && step.op != Op::kWhere && !ElementLoop(step.op, step.dtype);
}

absl::StatusOr<kernel::LibraryLoop> LoopFor(const kernel::KernelStep& step,
                                            TileKernel::FindLoop find) {
  if (step.op == Op::kCast) return CastLoop(step.dtype, step.result);
  if (step.op == Op::kWhere) return WhereLoop(step.dtype);
  const kernel::LibraryLoop own = ElementLoop(step.op, step.dtype);
  if (own) return own;
  const kernel::LibraryLoop loop = find(step);
  if (loop) return loop;
  return absl::UnimplementedError(absl::StrCat("no library loop for ", dynacc::Info(step.op).text,
                                               " on ", dynacc::Info(step.dtype).text));
}

bool MayRaise(const kernel::KernelStep& step) {
  if (!RaisesFlags(step.op, step.dtype)) return false;
  return step.library || IsInexact(step.dtype) || IsInexact(step.result);
}

// Scratch rows on the stack, where there is no memory for others.
constexpr int64_t kStackBytes = 32 << 10;

// Scratch of the calling thread, at least `bytes`, aligned for any vector; null without memory.
char* ThreadScratch(size_t bytes) {
  struct Freer {
    void operator()(char* block) const { std::free(block); }
  };
  thread_local std::unique_ptr<char, Freer> block;
  thread_local size_t size = 0;
  if (size < bytes) {
    block.reset(static_cast<char*>(std::aligned_alloc(64, bytes)));
    size = block == nullptr ? 0 : bytes;
  }
  return block.get();
}

}  // namespace

// Assigns places to values and makes the calls.
class TilePlanner {
 public:
  TilePlanner(const kernel::Kernel& kernel, TileKernel::FindLoop find, TileKernel& tile)
      : kernel_(kernel),
        find_(find),
        tile_(tile),
        num_inputs_(static_cast<int>(kernel.inputs.size())),
        last_use_(num_inputs_ + kernel.steps.size(), -1) {}

  absl::Status Plan() {
    FindUses();
    for (int i = 0; i < static_cast<int>(kernel_.steps.size()); ++i) {
      DYNACC_RETURN_IF_ERROR(AddStep(i));
    }
    CopyOutputs();
    return absl::OkStatus();
  }

 private:
  using Place = TileKernel::Place;

  void FindUses() {
    for (int i = 0; i < static_cast<int>(kernel_.steps.size()); ++i) {
      const kernel::KernelStep& step = kernel_.steps[i];
      raises_ |= MayRaise(step);
      for (const int value : {step.a, step.b, step.c}) {
        if (value < 0) continue;
        last_use_[value] = i;
        if (value < num_inputs_) last_input_use_ = i;
      }
    }
    places_.resize(last_use_.size());
    for (int k = 0; k < num_inputs_; ++k) {
      places_[k] = {k, -1, ItemSize(kernel_.inputs[k])};
    }
    // What is an output is needed to the end.
    for (const int value : kernel_.outputs) last_use_[value] = static_cast<int>(last_use_.size());
  }

  absl::Status AddStep(int i) {
    const kernel::KernelStep& step = kernel_.steps[i];
    TileKernel::Call call;
    DYNACC_ASSIGN_OR_RETURN(call.loop, LoopFor(step, find_));
    call.keeps_flags = raises_ && step.op != Op::kWhere;
    call.clears_flags = call.keeps_flags && !MayRaise(step);
    for (const int value : {step.a, step.b, step.c}) {
      if (value >= 0) call.args[call.num_args++] = places_[value];
    }
    const int value = num_inputs_ + i;
    places_[value] = ResultPlace(i, value);
    call.args[call.num_args++] = places_[value];
    tile_.calls_.push_back(call);
    for (const int operand : {step.a, step.b, step.c}) ReleaseRow(operand, i);
    ReleaseRow(value, i);
    return absl::OkStatus();
  }

  // An output is written where it belongs, unless inputs are still to be read: an output may lie
  // exactly over an input. A row is never shared by a step's operand and its result: some loops
  // take a slower, different path when they work in place.
  Place ResultPlace(int i, int value) {
    const int item_size = ItemSize(kernel_.DTypeOf(value));
    const auto output = std::find(kernel_.outputs.begin(), kernel_.outputs.end(), value);
    if (output != kernel_.outputs.end() && last_input_use_ <= i) {
      const int aside = IsLibrarys(kernel_.steps[i]) ? TakeRow() : -1;
      return {num_inputs_ + static_cast<int>(output - kernel_.outputs.begin()), aside, item_size};
    }
    return {-1, TakeRow(), item_size};
  }

  int TakeRow() {
    if (free_rows_.empty()) return tile_.num_rows_++;
    const int row = free_rows_.back();
    free_rows_.pop_back();
    return row;
  }

  void ReleaseRow(int value, int i) {
    if (value < 0 || last_use_[value] > i || places_[value].row < 0) return;
    free_rows_.push_back(places_[value].row);
    last_use_[value] = static_cast<int>(last_use_.size());  // once
  }

  // Outputs that were computed aside, and values that are outputs twice.
  void CopyOutputs() {
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const int value = kernel_.outputs[k];
      const int operand = num_inputs_ + static_cast<int>(k);
      const bool is_there = places_[value].operand == operand;
      if (is_there && places_[value].row < 0) continue;
      const DType dtype = kernel_.DTypeOf(value);
      TileKernel::Call call;
      call.only_into_gaps = is_there;
      call.loop = CastLoop(dtype, dtype);
      call.num_args = 2;
      call.args[0] = places_[value];
      call.args[1] = {operand, -1, ItemSize(dtype)};
      tile_.calls_.push_back(call);
    }
  }

  const kernel::Kernel& kernel_;
  TileKernel::FindLoop find_;
  TileKernel& tile_;
  const int num_inputs_;
  std::vector<int> last_use_;  // of each value: the last step that reads it
  std::vector<Place> places_;
  std::vector<int> free_rows_;
  int last_input_use_ = -1;
  bool raises_ = false;
};

absl::StatusOr<std::shared_ptr<const kernel::CompiledKernel>> TileKernel::Make(
    const kernel::Kernel& kernel) {
  return Make(kernel, [](const kernel::KernelStep& step) {
    return kernel::FindLibraryLoop(static_cast<int>(step.op), step.dtype);
  });
}

absl::StatusOr<std::shared_ptr<const kernel::CompiledKernel>> TileKernel::Make(
    const kernel::Kernel& kernel, FindLoop find) {
  auto tile = std::make_shared<TileKernel>();
  DYNACC_RETURN_IF_ERROR(TilePlanner(kernel, find, *tile).Plan());
  if (tile->num_rows_ * (kernel::kLoopGap + kMaxItemSize) > kStackBytes) {
    return absl::UnimplementedError("more values at a time than fit on the stack");
  }
  tile->source_ = kernel::KernelText(kernel);
  return tile;
}

void TileKernel::Run(char* const* pointers, const int64_t* strides, int64_t n) const {
  Scratch scratch = {nullptr, kTileElements};
  if (num_rows_ > 0) scratch.rows = ThreadScratch(num_rows_ * scratch.RowBytes());
  if (num_rows_ > 0 && scratch.rows == nullptr) return RunShortTiles(pointers, strides, n);
  RunTiles(pointers, strides, n, scratch);
}

// A kernel cannot fail, so that it needs no memory to run.
void TileKernel::RunShortTiles(char* const* pointers, const int64_t* strides, int64_t n) const {
  alignas(64) char rows[kStackBytes];
  RunTiles(pointers, strides, n,
           {rows, (kStackBytes / num_rows_ - kernel::kLoopGap) / kMaxItemSize});
}

void TileKernel::RunTiles(char* const* pointers, const int64_t* strides, int64_t n,
                          const Scratch& scratch) const {
  for (int64_t first = 0; first < n; first += scratch.tile_elements) {
    RunTile(pointers, strides, first, std::min(scratch.tile_elements, n - first), scratch);
  }
}

void TileKernel::RunTile(char* const* pointers, const int64_t* strides, int64_t first, int64_t n,
                         const Scratch& scratch) const {
  uint32_t raised = 0;
  const auto has_gaps = [&](const Place& place) {
    return n > 1 && strides[place.operand] != place.item_size;
  };
  for (const Call& call : calls_) {
    if (call.only_into_gaps && !has_gaps(call.args[1])) continue;
    char* args[4];
    intptr_t steps[4];
    for (int i = 0; i < call.num_args; ++i) {
      const Place& place = call.args[i];
      if (place.row >= 0 && (place.operand < 0 || has_gaps(place))) {
        args[i] = scratch.rows + place.row * scratch.RowBytes();
        steps[i] = place.item_size;
      } else {
        args[i] = pointers[place.operand] + first * strides[place.operand];
        // For one element a stride of 0 would look like a reduction to a ufunc loop.
        steps[i] = n == 1 ? place.item_size : strides[place.operand];
      }
    }
    if (call.keeps_flags) raised |= platform::HardwareFlags();
    const intptr_t count = n;
    call.loop.fn(args, &count, steps, call.loop.data);
    if (call.clears_flags) platform::ClearHardwareFlags();
  }
  platform::RaiseHardwareFlags(raised);
}

}  // namespace dynacc::cpu
