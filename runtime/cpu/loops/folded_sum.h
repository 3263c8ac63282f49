// Folded sums: pairwise sums of runs whose terms a kernel adds up as it computes them.
//
// The first part of a pairwise sum, eight running sums of each block of up to 128 terms, needs no
// term twice: a kernel that computes the terms can do it in registers (CompiledKernel::Fold), so
// that no term is stored and read again. What is left of it, seven additions a block, what does not
// fill a vector at the run's end, and the tree of blocks, is done here. The bits are NumPy's
// (pairwise_sum.h). Integers of 64 bits go the same way, though their order decides nothing.
#pragma once

#include <cstdint>

#include "runtime/kernel/fold_block.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

// The terms at a run's end that a kernel leaves out are the last of this many: as many as it
// computes best at a time.
inline constexpr int64_t kFoldTail = 16;

// How a run of n terms is folded; kFoldTail <= n <= kMaxTerms.
struct FoldedRun {
  static constexpr int64_t kMaxTerms = 8192;
  static constexpr int kMaxBlocks = 128;

  explicit FoldedRun(int64_t n);

  int64_t n;
  int count = 0;
  int tail;      // terms after the last block; fewer than 8
  bool is_full;  // the tree of blocks is full, and all are of one length
  kernel::FoldBlock blocks[kMaxBlocks];

 private:
  void Split(int64_t begin, int64_t end);
};

// For each row: the element at acc + row * acc_stride += the row's sum. `sums`: what Fold gave,
// aligned to 64 bytes; `tails`: the last kFoldTail terms of each row, unless run.tail is 0.
using FinishFoldedFn = void (*)(const FoldedRun& run, const char* sums, const char* tails,
                                int64_t rows, char* acc, int64_t acc_stride);

// The function for `dtype`; null if there is none.
FinishFoldedFn FindFinishFolded(DType dtype);

}  // namespace dynacc::cpu
