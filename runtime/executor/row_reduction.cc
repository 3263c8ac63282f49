#include "runtime/executor/row_reduction.h"

#include <algorithm>
#include <cstring>

#include "runtime/platform/fp_flags.h"

namespace dynacc::executor {

namespace {

// Rows from this length on are folded though several could be computed at once.
constexpr int64_t kLongRow = 512;

bool CanFold(const ReducePlan& plan, const LoopNest& nest) {
  if (!FoldedRows::CanAdd(plan, nest.strides[0], nest.shape[0])) return false;
  return nest.rank == 1 || nest.shape[0] >= kLongRow || !CanMerge(nest, 0, nest.num_operands - 1);
}

}  // namespace

bool CanReduceRows(const ReducePlan& plan, const LoopNest& nest, uint32_t axes) {
  const int num_inputs = nest.num_operands - 1;
  const int64_t length = nest.shape[0];
  const bool sums = plan.sum_runs != nullptr && plan.identity.has_value();
  const bool finds_extremes = plan.extreme_run != nullptr && !plan.identity.has_value();
  if (axes != 1 || nest.rank > 2 || nest.size() == 0 || (!sums && !finds_extremes)) return false;
  if (CanFold(plan, nest)) return true;
  if (plan.producer.kernel != nullptr) {
    if (length > kPieceElements) return false;
    return length > kShortRow || (nest.rank == 2 && length >= 8 && CanMerge(nest, 0, num_inputs));
  }
  // Sums of fewer than 8 elements go column by column.
  return length >= 8 && length <= kChunkElements && nest.strides[0][0] == ItemSize(plan.dtype);
}

RowReduction::RowReduction(const ReducePlan& plan, const LoopNest& nest)
    : plan_(plan),
      nest_(nest),
      num_inputs_(nest.num_operands - 1),
      item_size_(ItemSize(plan.dtype)),
      length_(nest.shape[0]),
      rows_(nest.rank == 1 ? 1 : nest.shape[1]),
      are_one_run_(nest.rank == 1 || CanMerge(nest, 0, num_inputs_)),
      row_bytes_(plan.producer.kernel != nullptr ? length_ * item_size_
                 : nest.rank == 1                ? 0
                                                 : nest.strides[1][0]),
      acc_stride_(nest.rank == 1 ? 0 : nest.strides[1][num_inputs_]),
      rows_at_once_(std::max<int64_t>(1, kPieceElements / length_)) {
  if (plan.identity.has_value()) {
    ScalarValue value;
    value.i = *plan.identity;
    identity_ = ScalarCell(value, ScalarType::kInt, plan.dtype);
  }
  if (CanFold(plan, nest_)) folded_.emplace(plan, length_);
}

bool RowReduction::Run(char* const* pointers, char* scratch, const RowHints& hints) const {
  const bool in_place = plan_.producer.kernel == nullptr;
  const int64_t most = in_place && hints.ahead == nullptr ? rows_ : rows_at_once_;
  for (int64_t row = 0; row < rows_; row += most) {
    const int64_t rows = std::min(most, rows_ - row);
    char* const acc = pointers[num_inputs_] + row * acc_stride_;
    const int64_t done = folded_.has_value() ? AddFolded(pointers, row, rows, acc) : 0;
    if (done < rows) {
      const char* const data = in_place ? pointers[0] + row * row_bytes_
                                        : ComputeRows(pointers, row + done, rows - done, scratch);
      Reduce(data, rows - done, acc + done * acc_stride_);
    }
    if (hints.ahead != nullptr) hints.ahead->Advance(rows * length_);
  }
  return true;
}

// Where the rows are then, one after the other.
char* RowReduction::ComputeRows(char* const* pointers, int64_t row, int64_t rows,
                                char* scratch) const {
  char* at[kMaxOperands];
  int64_t steps[kMaxOperands], row_strides[kMaxOperands];
  for (int k = 0; k < num_inputs_; ++k) {
    steps[k] = nest_.strides[0][k];
    row_strides[k] = nest_.rank == 1 ? 0 : nest_.strides[1][k];
    at[k] = pointers[k] + row * row_strides[k];
  }
  at[num_inputs_] = scratch;
  steps[num_inputs_] = item_size_;
  row_strides[num_inputs_] = row_bytes_;
  const kernel::CompiledKernel& kernel = *plan_.producer.kernel;
  const uint32_t before = plan_.producer_raises_flags ? 0 : platform::HardwareFlags();
  if (are_one_run_) {
    kernel.Run(at, steps, rows * length_);
  } else {
    kernel.RunRows(at, steps, length_, {rows, row_strides, num_inputs_ + 1},
                   /*non_temporal=*/false);
  }
  if (!plan_.producer_raises_flags) {
    platform::ClearHardwareFlags();
    platform::RaiseHardwareFlags(before);
  }
  return scratch;
}

void RowReduction::StartSums(int64_t rows, char* acc) const {
  for (int64_t row = 0; row < rows; ++row) {
    std::memcpy(acc + row * acc_stride_, identity_.bytes, item_size_);
  }
}

int64_t RowReduction::AddFolded(char* const* pointers, int64_t row, int64_t rows, char* acc) const {
  int64_t row_strides[kMaxOperands];
  char* at[kMaxOperands];
  for (int k = 0; k < num_inputs_; ++k) {
    row_strides[k] = nest_.rank == 1 ? 0 : nest_.strides[1][k];
    at[k] = pointers[k] + row * row_strides[k];
  }
  StartSums(rows, acc);
  return folded_->Add(at, nest_.strides[0], row_strides, rows, acc, acc_stride_);
}

void RowReduction::Reduce(const char* data, int64_t rows, char* acc) const {
  if (plan_.sum_runs == nullptr) return FindExtremes(data, rows, acc);
  StartSums(rows, acc);
  plan_.sum_runs(data, row_bytes_, rows, length_, acc, acc_stride_);
}

// Each starts with its row's first element.
void RowReduction::FindExtremes(const char* data, int64_t rows, char* acc) const {
  for (int64_t row = 0; row < rows; ++row, data += row_bytes_, acc += acc_stride_) {
    std::memcpy(acc, data, item_size_);
    if (plan_.extreme_run(data, length_, acc)) continue;
    CallReduceLoop(plan_, acc, 0, const_cast<char*>(data) + item_size_, item_size_, length_ - 1);
  }
}

void CallReduceLoop(const ReducePlan& plan, char* acc, int64_t acc_stride, char* data,
                    int64_t stride, int64_t n) {
  // The loops of maximum and the like clear the flags that a producer has raised.
  const uint32_t raised = plan.loop_raises_flags ? 0 : platform::HardwareFlags();
  char* args[] = {acc, data, acc};
  const intptr_t count = n;
  const intptr_t steps[] = {acc_stride, stride, acc_stride};
  plan.loop.fn(args, &count, steps, plan.loop.data);
  if (!plan.loop_raises_flags) {
    platform::ClearHardwareFlags();
    platform::RaiseHardwareFlags(raised);
  }
}

}  // namespace dynacc::executor
