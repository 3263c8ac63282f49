#include "runtime/executor/window_matmul_step.h"

#include <algorithm>
#include <optional>

#include "runtime/base/status_macros.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/cpu/matmul/parallel_matmul.h"
#include "runtime/cpu/matmul/window_rows.h"
#include "runtime/executor/copy_step.h"

namespace dynacc::executor {
namespace {

// False if `loop` has to compute the product of a copy.
bool MultiplyInPlace(const kernel::LibraryLoop& loop, const StridedView& windows,
                     const StridedView& b, const StridedView& out) {
  const int64_t inner = b.shape[0], columns = b.shape[1];
  StridedView result = out;
  result.rank = 2;
  result.shape[0] = out.size() / columns;
  result.shape[1] = columns;
  if (!ReshapeWithoutCopy(out, result)) return false;
  if (!cpu::CanMultiplyRows(loop, 1, result.shape[0], inner, columns)) return false;
  const std::optional<cpu::WindowRows> rows = cpu::WindowRows::Of(windows, inner);
  if (!rows.has_value()) return false;
  cpu::Product product{result.shape[0],
                       inner,
                       columns,
                       nullptr,
                       0,
                       ItemSize(windows.dtype),
                       b.data,
                       b.strides[0],
                       b.strides[1],
                       result.data,
                       result.strides[0],
                       result.strides[1]};
  rows->SetLeft(product);
  const cpu::RowMatmuls kernels = cpu::RowMatmulsOf(loop);
  return cpu::MultiplyInParallel(kernels.multiply, product) &&
         (kernels.has_nan == nullptr || !kernels.has_nan(product));
}

}  // namespace

absl::StatusOr<StridedView> WindowMatrices(const StridedView& windows, const StridedView& b,
                                           const StridedView& out, ScratchBlock& memory) {
  StridedView matrices = out;
  matrices.dtype = windows.dtype;
  matrices.shape[out.rank - 1] = b.shape[b.rank - 2];
  if (matrices.size() != windows.size()) {
    return absl::InternalError("a product of windows of other sizes");
  }
  return Reshaped(windows, matrices, memory);
}

absl::Status MultiplyWindowsByLoop(const kernel::LibraryLoop& loop, const StridedView& windows,
                                   const StridedView& b, const StridedView& out) {
  // A program's file may say anything of sizes.
  const int64_t columns = b.shape[1];
  if (columns != out.shape[out.rank - 1] || windows.size() != out.size() / columns * b.shape[0]) {
    return absl::InternalError("a product of windows of other sizes");
  }
  if (MultiplyInPlace(loop, windows, b, out)) return absl::OkStatus();
  ScratchBlock memory;
  DYNACC_ASSIGN_OR_RETURN(const StridedView matrices, WindowMatrices(windows, b, out, memory));
  MultiplyByLoop(loop, matrices, b, out);
  return absl::OkStatus();
}

absl::Status WindowMatmulStep::Run(RunFrame& frame) const {
  StridedView storage_windows, storage_b;
  const StridedView& windows = frame.Resolve(plan_.a, storage_windows);
  const StridedView& b = frame.Resolve(plan_.b, storage_b);
  DYNACC_RETURN_IF_ERROR(frame.Allocate(plan_.output));
  frame.CountLibraryCall();
  const StridedView& out = frame.view(plan_.output);
  if (out.size() == 0) return absl::OkStatus();
  return MultiplyWindowsByLoop(plan_.loop, windows, b, out);
}

}  // namespace dynacc::executor
