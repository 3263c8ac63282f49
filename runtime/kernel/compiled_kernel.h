// CompiledKernel: a kernel ready to run on n elements of strided memory.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/kernel/fold_block.h"

namespace dynacc::kernel {

// Rows for a kernel to run along: `count` of them, whose operands begin strides[k] bytes apart.
struct KernelRows {
  int64_t count;
  const int64_t* strides;
  int num_operands;
};

class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;

  // pointers[k], strides[k] (bytes): operand k's first element, inputs then outputs. Outputs do not
  // overlap inputs, except exactly (same pointer and stride). Raises hardware floating-point flags
  // like the operations that it does. Thread-safe; needs no GIL; never fails.
  virtual void Run(char* const* pointers, const int64_t* strides, int64_t n) const = 0;

  // Run for each of some rows of n elements. `non_temporal`: the results are too large to be found
  // in the cache by who reads them next, and go past it where the kernel can do that; it ends with
  // stores that other threads see only after a fence then (RowBlockStep has one).
  virtual void RunRows(char* const* pointers, const int64_t* strides, int64_t n,
                       const KernelRows& rows, bool non_temporal) const;

  // Whether it can Fold.
  virtual bool folds() const { return false; }

  // In place of storing its one output, of float32 or float64: of each block of each row, `sums`
  // gets eight numbers, the sums, in order, of every eighth element. Elements of all inputs are
  // side by side, or all the same (strides[k] == 0). Blocks are full eights; the first one has
  // sixteen or more. Flags are raised as by Run and those additions.
  virtual void Fold(char* const* pointers, const int64_t* strides, const KernelRows& rows,
                    absl::Span<const FoldBlock> blocks, char* sums) const;

  // The emitted source, or the steps as text if nothing was emitted.
  virtual const std::string& source() const = 0;

  // Its machine code where it lies in this process; empty if it has none of its own.
  virtual absl::Span<const char> code() const { return {}; }

  // The object file that the code was loaded from, kept only if DYNACC_DEBUG_DIR is set.
  virtual absl::string_view object() const { return {}; }
};

}  // namespace dynacc::kernel
