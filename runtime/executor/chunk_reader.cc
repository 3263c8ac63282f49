#include "runtime/executor/chunk_reader.h"

#include <algorithm>

#include "runtime/base/check.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/row_packing.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::executor {

// The flags that compute() leaves are dropped unless they count.
template <typename Compute>
void ChunkReader::WithItsFlags(const Compute& compute) const {
  const uint32_t before = raises_flags_ ? 0 : platform::HardwareFlags();
  compute();
  if (raises_flags_) return;
  platform::ClearHardwareFlags();
  platform::RaiseHardwareFlags(before);
}

void ChunkReader::WriteTo(char* to, int64_t to_stride, char* const* pointers,
                          const int64_t* strides, int64_t n) const {
  if (kernel_ == nullptr) {
    CopyRun(item_size_, to, to_stride, pointers[0], strides[0], n);
    return;
  }
  char* operands[kMaxOperands];
  int64_t steps[kMaxOperands];
  std::copy_n(pointers, num_inputs_, operands);
  std::copy_n(strides, num_inputs_, steps);
  operands[num_inputs_] = to;
  steps[num_inputs_] = to_stride;
  WithItsFlags([&] { kernel_->Run(operands, steps, n); });
}

Chunk ChunkReader::ReadAcross(const LoopNest& nest, int axes, int64_t begin, int64_t n) const {
  char* to = scratch_;
  while (n > 0) {
    // The position of `begin` along each axis, and the run from there along the innermost.
    char* pointers[kMaxOperands];
    std::copy_n(nest.pointers, num_inputs_, pointers);
    int64_t rest = begin;
    for (int axis = 0; axis < axes; ++axis) {
      const int64_t index = rest % nest.shape[axis];
      rest /= nest.shape[axis];
      for (int k = 0; k < num_inputs_; ++k) pointers[k] += index * nest.strides[axis][k];
    }
    const int64_t run = std::min(n, nest.shape[0] - begin % nest.shape[0]);
    WriteTo(to, item_size_, pointers, nest.strides[0], run);
    to += run * item_size_;
    begin += run;
    n -= run;
  }
  return {scratch_, item_size_};
}

Chunk ChunkReader::ReadBlock(char* const* pointers, const int64_t (*strides)[kMaxOperands],
                             absl::Span<const int64_t> shape) const {
  const int rank = static_cast<int>(shape.size());
  LoopNest nest;
  StartNest(nest, rank, shape.data());
  for (int k = 0; k <= num_inputs_; ++k) {
    const bool is_result = k == num_inputs_;
    int64_t steps[kMaxRank], dense = item_size_;
    for (int axis = 0; axis < rank; dense *= shape[axis++]) {
      steps[axis] = is_result ? dense : strides[axis][k];
    }
    AddOperand(nest, is_result ? scratch_ : pointers[k], steps);
  }
  WithItsFlags([&] {
    if (CanPackRows(nest, num_inputs_)) {
      return ForEachPackedRun(
          nest, inputs_,
          [this](char* const* at, const int64_t* along, int64_t n) { kernel_->Run(at, along, n); });
    }
    DYNACC_CHECK(rank == 2) << "a block of long rows has " << rank << " axes";
    kernel_->RunRows(nest.pointers, nest.strides[0], shape[0],
                     {shape[1], nest.strides[1], num_inputs_ + 1}, /*non_temporal=*/false);
  });
  return {scratch_, item_size_};
}

}  // namespace dynacc::executor
