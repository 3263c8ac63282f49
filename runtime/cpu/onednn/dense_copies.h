// DenseCopies: arrays without gaps for a library, for the extent of one call.
#pragma once

#include <deque>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/cpu/onednn/array_matmul.h"
#include "runtime/cpu/onednn/fused_matmul.h"
#include "runtime/executor/run_frame.h"

namespace dynacc::cpu {

// Whether oneDNN reads matrices of these strides: rows or columns side by side, none overlapping.
bool IsReadable(const StridedView& view);

class DenseCopies {
 public:
  // The elements of `view` in C order without gaps: where they lie, or a copy.
  absl::StatusOr<const char*> Dense(const StridedView& view);

  absl::StatusOr<char*> Allocate(int64_t bytes);

  // The steps of an epilogue, their arrays without gaps.
  absl::Status Steps(absl::Span<const ArrayStep> steps, std::vector<FusedMatmulStep>& fused);

 private:
  std::deque<executor::ScratchBlock> blocks_;
};

}  // namespace dynacc::cpu
