// Sums of 64-bit integers for one instruction-set level: included by one source file for each
// level, as pairwise_blocks.h is. They wrap, so that the order of additions decides nothing, and
// signed and unsigned ones are the same.
#pragma once

#include <cstdint>

#include "runtime/cpu/loops/folded_sum.h"

namespace dynacc::cpu {
namespace {

class IntegerSums {
 public:
  // SumRunsFn.
  static void Run(const char* data, int64_t run_stride, int64_t runs, int64_t n, char* acc,
                  int64_t acc_stride) {
    for (int64_t r = 0; r < runs; ++r) {
      AddTo(acc + r * acc_stride, Sum(data + r * run_stride, n));
    }
  }

  // FinishFoldedFn.
  static void FinishFolded(const FoldedRun& run, const char* sums, const char* tails, int64_t rows,
                           char* acc, int64_t acc_stride) {
    const int64_t of_row = 8 * run.count;
    for (int64_t r = 0; r < rows; ++r, sums += of_row * kItem) {
      const char* const tail = tails + ((r + 1) * kFoldTail - run.tail) * kItem;
      AddTo(acc + r * acc_stride, Sum(sums, of_row) + Sum(tail, run.tail));
    }
  }

 private:
  static constexpr int64_t kItem = sizeof(uint64_t);
  typedef uint64_t Unaligned __attribute__((aligned(1), may_alias));

  static uint64_t Sum(const char* data, int64_t n) {
    const auto* const elements = reinterpret_cast<const Unaligned*>(data);
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += elements[i];
    return sum;
  }
  static void AddTo(char* acc, uint64_t sum) { *reinterpret_cast<Unaligned*>(acc) += sum; }
};

}  // namespace
}  // namespace dynacc::cpu
