// Operands that lie across: side by side along another axis than the one that kernels run along, as
// `b.T` does in `a + b.T`. Element by element, each would take a line of the cache for itself.
#pragma once

#include "absl/types/span.h"
#include "runtime/executor/loop_nest.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::executor {

// ForEachRows, but that inputs which lie across are seen through copies of blocks of theirs, turned
// while they are in cache. `inputs`: the dtypes of the nest's first operands, which are read only.
void ForEachRowsSideBySide(const LoopNest& nest, absl::Span<const DType> inputs, RunRowsFn run);

// Copies operand 0 of the nest to operand 1, elements of `item_size` bytes, if operand 0 lies
// across and operand 1 does not; otherwise false, and nothing is done.
bool CopyAcross(const LoopNest& nest, int item_size);

}  // namespace dynacc::executor
