#include "runtime/executor/copy_step.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/loops/move_kernels.h"
#include "runtime/executor/bound_program.h"
#include "runtime/executor/launch_step.h"
#include "runtime/executor/tiled_transpose.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::executor {
namespace {

// Rough nanoseconds a byte.
constexpr double kCopyCost = 0.05;

// In the nest's order: rows that lie far apart cost more than short ones.
void CopyNest(const LoopNest& nest, int item_size) {
  const cpu::CopyRowsFn copy = cpu::MoveFnsOfThisMachine().copy_rows[cpu::SizeClass(item_size)];
  const auto copy_rows = [copy](char* const* pointers, const int64_t* strides, int64_t n,
                                const int64_t* row_strides, int64_t rows) {
    copy(pointers[1], pointers[0],
         {strides[1], row_strides[1], strides[0], row_strides[0], n, rows});
  };
  const bool are_few = nest.rank > 2 && nest.shape[0] * nest.shape[1] < kShortRun;
  are_few ? ForEachRows(nest, copy_rows) : ForEachRowsInOrder(nest, copy_rows);
}

}  // namespace

void CopyRun(int item_size, char* to, int64_t to_stride, const char* from, int64_t from_stride,
             int64_t n) {
  cpu::MoveFnsOfThisMachine().copy_rows[cpu::SizeClass(item_size)](
      to, from, {to_stride, n * to_stride, from_stride, n * from_stride, n, 1});
}

void CopyElements(const StridedView& source, const StridedView& destination) {
  LoopNest nest;
  StartNest(nest, source.rank, source.shape);
  AddOperand(nest, source.data, source.strides);
  AddOperand(nest, destination.data, destination.strides);
  if (nest.size() == 0) return;
  OptimizeNest(nest);
  const int item_size = ItemSize(source.dtype);
  auto copy = [item_size](const LoopNest& part) {
    if (!CopyAcross(part, item_size)) CopyNest(part, item_size);
  };
  const int parts = PartsFor(nest.size(), kCopyCost * item_size);
  if (parts == 1) return copy(nest);
  const int axis = SplitAxis(nest);
  platform::ParallelFor(parts, [&](int part) { copy(SliceOf(nest, axis, part, parts)); });
}

namespace {

class ReadyCopy : public ReadyRows {
 public:
  ReadyCopy(const LoopNest& nest, int item_size) : nest_(nest), item_size_(item_size) {}

  bool Run(char* const* pointers, char*, const RowHints&) const override {
    LoopNest nest = nest_;
    std::copy_n(pointers, 2, nest.pointers);
    if (!CopyAcross(nest, item_size_)) CopyNest(nest, item_size_);
    return true;
  }

 private:
  const LoopNest nest_;
  const int item_size_;
};

}  // namespace

bool IsShortCopy(const StridedView& source) {
  return Binder::IsShort(kCopyCost * static_cast<double>(source.size() * ItemSize(source.dtype)));
}

std::unique_ptr<const ReadyRows> ReadyToCopy(const StridedView& source,
                                             const StridedView& destination) {
  if (source.size() == 0) return nullptr;
  LoopNest nest;
  StartNest(nest, source.rank, source.shape);
  AddOperand(nest, source.data, source.strides);
  AddOperand(nest, destination.data, destination.strides);
  OptimizeNest(nest);
  return std::make_unique<ReadyCopy>(nest, ItemSize(source.dtype));
}

absl::Status CopyAsItLies(const StridedView& source, ScratchBlock& memory, StridedView& copy) {
  const MemoryBounds bounds = BoundsOf(source);
  const int64_t bytes = bounds.end - bounds.begin;
  if (!memory.Allocate(std::max<int64_t>(bytes, 1))) {
    return absl::ResourceExhaustedError("no memory for a copy");
  }
  std::memcpy(memory.data(), bounds.begin, bytes);
  copy = source;
  copy.data = memory.data() + (source.data - bounds.begin);
  return absl::OkStatus();
}

absl::Status CopyStep::Run(RunFrame& frame) const {
  StridedView storage;
  const StridedView& source = frame.Resolve(source_, storage);
  DYNACC_RETURN_IF_ERROR(frame.Allocate(destination_));
  const StridedView& destination = frame.view(destination_);
  CopyElements(source, destination);
  const int64_t bytes = source.size() * ItemSize(source.dtype);
  frame.CountLaunch(bytes, bytes);
  return absl::OkStatus();
}

bool CopyStep::Bind(Binder& binder) const {
  StridedView storage;
  const StridedView& source = binder.frame().Resolve(source_, storage);
  if (!IsShortCopy(source)) return false;
  binder.Allocate(destination_);
  binder.Copy(source, binder.AddressOf(source_), binder.frame().view(destination_),
              binder.AddressOf(destination_));
  return true;
}

// What a Full shows is in memory from here on: the library's functions may ask where it lies.
absl::Status ReshapeStep::WriteFull(RunFrame& frame, const StridedView& source,
                                    StridedView& result) const {
  StridedView storage;
  const StridedView& in_memory = frame.ResolveFull(source_, source.data, storage);
  if (!ReshapeWithoutCopy(in_memory, result)) SetContiguousStrides(result);
  DYNACC_RETURN_IF_ERROR(frame.AllocateLike(destination_, result));
  StridedView number = result;
  number.data = source.data;
  std::fill_n(number.strides, number.rank, 0);
  CopyElements(number, frame.view(destination_));
  frame.CountLaunch(0, result.size() * ItemSize(result.dtype));
  return absl::OkStatus();
}

absl::Status ReshapeStep::Run(RunFrame& frame) const {
  StridedView storage;
  const StridedView& source = frame.Resolve(source_, storage);
  StridedView result;
  frame.FillShape(frame.shape_plan(destination_), result);
  result.dtype = source.dtype;
  DYNACC_CHECK(result.size() == source.size()) << "reshape of another size";
  if (frame.IsFull(source_.buffer)) return WriteFull(frame, source, result);
  if (ReshapeWithoutCopy(source, result)) {
    frame.Alias(destination_, result);
    return absl::OkStatus();
  }
  DYNACC_RETURN_IF_ERROR(frame.Allocate(destination_));
  StridedView as_source = source;
  as_source.data = frame.view(destination_).data;
  SetContiguousStrides(as_source);
  CopyElements(source, as_source);
  const int64_t bytes = source.size() * ItemSize(source.dtype);
  frame.CountLaunch(bytes, bytes);
  return absl::OkStatus();
}

bool ReshapeStep::Bind(Binder& binder) const {
  const RunFrame& frame = binder.frame();
  StridedView storage;
  const StridedView& source = frame.Resolve(source_, storage);
  StridedView result = frame.view(destination_);
  if (frame.IsFull(source_.buffer)) return false;
  if (ReshapeWithoutCopy(source, result)) {
    binder.Alias(destination_, binder.AddressOf(source_));
    return true;
  }
  if (!IsShortCopy(source)) return false;
  binder.Allocate(destination_);
  StridedView as_source = source;
  SetContiguousStrides(as_source);
  binder.Copy(source, binder.AddressOf(source_), as_source, binder.AddressOf(destination_));
  return true;
}

bool ReshapeWithoutCopy(const StridedView& source, StridedView& result) {
  result.data = source.data;
  if (source.size() == 0 || IsContiguous(source)) {
    SetContiguousStrides(result);
    return true;
  }
  // As _attempt_nocopy_reshape in NumPy's shape.c: axes of size 1 are left out; then groups of old
  // and new axes of equal product must each be one even run on the old side.
  int old_axes[kMaxRank];
  int old_rank = 0;
  for (int i = 0; i < source.rank; ++i) {
    if (source.shape[i] != 1) old_axes[old_rank++] = i;
  }
  auto old_size = [&](int i) { return source.shape[old_axes[i]]; };
  auto old_stride = [&](int i) { return source.strides[old_axes[i]]; };
  int old_begin = 0;
  int new_begin = 0;
  while (new_begin < result.rank && old_begin < old_rank) {
    int old_end = old_begin + 1;
    int new_end = new_begin + 1;
    int64_t old_count = old_size(old_begin);
    int64_t new_count = result.shape[new_begin];
    while (old_count != new_count) {
      if (new_count < old_count) {
        new_count *= result.shape[new_end++];
      } else {
        old_count *= old_size(old_end++);
      }
    }
    for (int i = old_begin; i < old_end - 1; ++i) {
      if (old_stride(i) != old_size(i + 1) * old_stride(i + 1)) return false;
    }
    result.strides[new_end - 1] = old_stride(old_end - 1);
    for (int i = new_end - 1; i > new_begin; --i) {
      result.strides[i - 1] = result.strides[i] * result.shape[i];
    }
    old_begin = old_end;
    new_begin = new_end;
  }
  // What is left are new axes of size 1.
  const int64_t last = new_begin > 0 ? result.strides[new_begin - 1] : ItemSize(result.dtype);
  for (int i = new_begin; i < result.rank; ++i) result.strides[i] = last;
  return true;
}

absl::StatusOr<StridedView> Reshaped(const StridedView& source, StridedView result,
                                     ScratchBlock& memory) {
  if (ReshapeWithoutCopy(source, result)) return result;
  StridedView copy = source;
  SetContiguousStrides(copy);
  if (!memory.Allocate(std::max<int64_t>(copy.size(), 1) * ItemSize(copy.dtype))) {
    return absl::ResourceExhaustedError("no memory for an operand of a matrix product");
  }
  copy.data = memory.data();
  CopyElements(source, copy);
  result.data = copy.data;
  SetContiguousStrides(result);
  return result;
}

}  // namespace dynacc::executor
