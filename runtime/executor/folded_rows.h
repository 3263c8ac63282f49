// FoldedRows: sums of rows that a kernel computes and adds up itself
// (runtime/cpu/loops/folded_sum.h).
//
// A kernel raises the flags of the terms and of the sum together. Where the terms' do not count, a
// flag is ambiguous: an invalid operation may be a NaN that was compared, or a sum of infinities.
// Such rows are left to be computed and added up apart.
#pragma once

#include "runtime/cpu/loops/folded_sum.h"
#include "runtime/executor/reduce_step.h"

namespace dynacc::executor {

class FoldedRows {
 public:
  // Whether runs of n terms can go so: their operands lie side by side, `strides` apart, or are the
  // same for all terms.
  static bool CanAdd(const ReducePlan& plan, const int64_t* strides, int64_t n);

  // Rows of n terms. `plan` lives as long as this.
  FoldedRows(const ReducePlan& plan, int64_t n);

  int64_t length() const { return run_.n; }

  // For each row: the element at acc + row * acc_stride += the row's sum. Operands of the rows
  // begin row_strides[k] apart; CanAdd(plan, strides, length()). Returns how many rows are done:
  // all, or those before the first whose flags are ambiguous.
  [[nodiscard]] int64_t Add(char* const* pointers, const int64_t* strides,
                            const int64_t* row_strides, int64_t rows, char* acc,
                            int64_t acc_stride) const;

 private:
  bool KeepFlagsThatCount(uint32_t before) const;
  void ComputeTails(char* const* pointers, const int64_t* strides, const int64_t* row_strides,
                    int64_t rows, char* tails) const;

  const ReducePlan& plan_;
  const int num_inputs_;
  const cpu::FinishFoldedFn finish_;
  const cpu::FoldedRun run_;
};

}  // namespace dynacc::executor
