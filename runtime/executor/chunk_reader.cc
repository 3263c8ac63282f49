#include "runtime/executor/chunk_reader.h"

#include <algorithm>

#include "runtime/executor/copy_step.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::executor {

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
  const uint32_t before = raises_flags_ ? 0 : platform::HardwareFlags();
  kernel_->Run(operands, steps, n);
  if (!raises_flags_) {
    platform::ClearHardwareFlags();
    platform::RaiseHardwareFlags(before);
  }
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

Chunk ChunkReader::ReadRows(char* const* pointers, const int64_t (*strides)[kMaxOperands],
                            int64_t rows, int64_t length) const {
  char* column[kMaxOperands];
  std::copy_n(pointers, num_inputs_, column);
  for (int64_t i = 0; i < length; ++i) {
    WriteTo(scratch_ + i * item_size_, length * item_size_, column, strides[1], rows);
    for (int k = 0; k < num_inputs_; ++k) column[k] += strides[0][k];
  }
  return {scratch_, item_size_};
}

}  // namespace dynacc::executor
