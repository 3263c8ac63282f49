#include "runtime/cpu/onednn/dense_copies.h"

#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"

namespace dynacc::cpu {
namespace {

bool LieAlike(const StridedView& view, const StridedView& dense) {
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] != 1 && view.strides[axis] != dense.strides[axis]) return false;
  }
  return true;
}

}  // namespace

bool IsReadable(const StridedView& view) {
  const int64_t item = ItemSize(view.dtype);
  const int64_t rows = view.shape[view.rank - 2], columns = view.shape[view.rank - 1];
  const int64_t row = view.strides[view.rank - 2], column = view.strides[view.rank - 1];
  return (column == item && row >= columns * item && row % item == 0) ||
         (row == item && column >= rows * item && column % item == 0);
}

absl::StatusOr<const char*> DenseCopies::Dense(const StridedView& view) {
  StridedView dense = view;
  SetContiguousStrides(dense);
  if (LieAlike(view, dense)) return view.data;
  DYNACC_ASSIGN_OR_RETURN(dense.data, Allocate(dense.size() * ItemSize(dense.dtype)));
  executor::CopyElements(view, dense);
  return dense.data;
}

absl::StatusOr<char*> DenseCopies::Allocate(int64_t bytes) {
  if (blocks_.emplace_back().Allocate(bytes)) return blocks_.back().data();
  return absl::ResourceExhaustedError("no memory for an operand of a matrix product");
}

absl::Status DenseCopies::Steps(absl::Span<const ArrayStep> steps,
                                std::vector<FusedMatmulStep>& fused) {
  for (const ArrayStep& step : steps) {
    FusedMatmulStep& own =
        fused.emplace_back(FusedMatmulStep{step.kind, step.alpha, step.beta, nullptr, step.is_row});
    if (Info(step.kind).form == EpilogueForm::kFunction) continue;
    StridedView view = step.array;
    for (int axis = 0; step.is_row && axis + 1 < view.rank; ++axis) view.shape[axis] = 1;
    DYNACC_ASSIGN_OR_RETURN(own.data, Dense(view));
  }
  return absl::OkStatus();
}

}  // namespace dynacc::cpu
