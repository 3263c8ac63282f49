#include "runtime/cpu/onednn/window_matmul.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "runtime/base/status_macros.h"
#include "runtime/cpu/onednn/convolution.h"
#include "runtime/cpu/onednn/dense_copies.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/window_matmul_step.h"

namespace dynacc::cpu {
namespace {

bool IsDense(const StridedView& view) {
  StridedView dense = view;
  SetContiguousStrides(dense);
  return std::equal(dense.strides, dense.strides + dense.rank, view.strides);
}

}  // namespace

absl::StatusOr<StridedView> AsMatrix(const StridedView& filters, int64_t columns,
                                     executor::ScratchBlock& memory) {
  StridedView matrix = filters;
  matrix.rank = 2;
  matrix.shape[1] = columns;
  matrix.shape[0] = 1;
  for (int axis = 0; axis + 1 < filters.rank; ++axis) matrix.shape[0] *= filters.shape[axis];
  return executor::Reshaped(filters, matrix, memory);
}

absl::Status MultiplyWindows(const StridedView& windows, absl::Span<const int64_t> source_axes,
                             const StridedView& b, absl::Span<const ArrayStep> epilogue,
                             const StridedView& out) {
  const std::optional<ConvolutionShape> shape =
      IsDense(out) ? AsConvolution(windows, source_axes, b, out) : std::nullopt;
  if (shape.has_value()) {
    DenseCopies copies;
    std::vector<FusedMatmulStep> steps;
    DYNACC_RETURN_IF_ERROR(copies.Steps(epilogue, steps));
    const absl::Status done = Convolve(*shape, windows.data, b.data, steps, out.data);
    if (!absl::IsUnavailable(done)) return done;
  }
  executor::ScratchBlock memory;
  DYNACC_ASSIGN_OR_RETURN(const StridedView matrices,
                          executor::WindowMatrices(windows, b, out, memory));
  return MultiplyArrays(matrices, b, epilogue, out);
}

}  // namespace dynacc::cpu
