#include "runtime/executor/folded_rows.h"

#include <algorithm>

#include "runtime/platform/fp_flags.h"

namespace dynacc::executor {
namespace {

// Shorter runs are better computed several at a time, and then added up.
constexpr int64_t kLeastTerms = 128;

// Of all rows that are folded at a time.
constexpr int64_t kBlocksAtOnce = cpu::FoldedRun::kMaxBlocks;
constexpr int64_t kTailsAtOnce = 16;
constexpr int64_t kMostBytes = sizeof(double);

}  // namespace

bool FoldedRows::CanAdd(const ReducePlan& plan, const int64_t* strides, int64_t n) {
  const KernelPlan& terms = plan.producer;
  if (plan.sum_runs == nullptr || terms.kernel == nullptr || !terms.kernel->folds()) return false;
  if (n < kLeastTerms || n > cpu::FoldedRun::kMaxTerms) return false;
  for (size_t k = 0; k < terms.input_dtypes.size(); ++k) {
    if (strides[k] != 0 && strides[k] != ItemSize(terms.input_dtypes[k])) return false;
  }
  return true;
}

FoldedRows::FoldedRows(const ReducePlan& plan, int64_t n)
    : plan_(plan),
      num_inputs_(static_cast<int>(plan.producer.inputs.size())),
      finish_(cpu::FindFinishFolded(plan.dtype)),
      run_(n) {}

// After the terms of some rows; `before`: the flags before them. False: the new ones are ambiguous,
// and are gone.
bool FoldedRows::KeepFlagsThatCount(uint32_t before) const {
  if (plan_.producer_raises_flags) return true;
  const uint32_t raised = platform::HardwareFlags() & ~before;
  const bool is_ambiguous = plan_.loop_raises_flags && (raised & platform::kErrorFlags) != 0;
  if (is_ambiguous || !plan_.loop_raises_flags) {
    platform::ClearHardwareFlags();
    platform::RaiseHardwareFlags(before);
  }
  return !is_ambiguous;
}

int64_t FoldedRows::Add(char* const* pointers, const int64_t* strides, const int64_t* row_strides,
                        int64_t rows, char* acc, int64_t acc_stride) const {
  alignas(64) char sums[kBlocksAtOnce * 8 * kMostBytes];
  char tails[kTailsAtOnce * cpu::kFoldTail * kMostBytes];
  const absl::Span<const kernel::FoldBlock> blocks(run_.blocks, run_.count);
  const int64_t at_once = std::min(kBlocksAtOnce / run_.count, kTailsAtOnce);
  for (int64_t row = 0; row < rows; row += at_once) {
    const int64_t some = std::min(at_once, rows - row);
    char* at[kMaxOperands];
    for (int k = 0; k < num_inputs_; ++k) at[k] = pointers[k] + row * row_strides[k];
    const uint32_t before = plan_.producer_raises_flags ? 0 : platform::HardwareFlags();
    plan_.producer.kernel->Fold(at, strides, {some, row_strides, num_inputs_}, blocks, sums);
    if (run_.tail > 0) ComputeTails(at, strides, row_strides, some, tails);
    if (!KeepFlagsThatCount(before)) return row;
    finish_(run_, sums, tails, some, acc + row * acc_stride, acc_stride);
  }
  return rows;
}

// The last terms of each row, with some of those before them once more: kernels do best with as
// many at a time.
void FoldedRows::ComputeTails(char* const* pointers, const int64_t* strides,
                              const int64_t* row_strides, int64_t rows, char* tails) const {
  const int64_t item_size = ItemSize(plan_.dtype);
  char* at[kMaxOperands];
  int64_t steps[kMaxOperands], rows_apart[kMaxOperands];
  for (int k = 0; k < num_inputs_; ++k) {
    at[k] = pointers[k] + (run_.n - cpu::kFoldTail) * strides[k];
    steps[k] = strides[k];
    rows_apart[k] = row_strides[k];
  }
  at[num_inputs_] = tails;
  steps[num_inputs_] = item_size;
  rows_apart[num_inputs_] = cpu::kFoldTail * item_size;
  plan_.producer.kernel->RunRows(at, steps, cpu::kFoldTail, {rows, rows_apart, num_inputs_ + 1},
                                 /*non_temporal=*/false);
}

}  // namespace dynacc::executor
