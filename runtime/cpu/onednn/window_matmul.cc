#include "runtime/cpu/onednn/window_matmul.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "runtime/base/status_macros.h"
#include "runtime/cpu/onednn/convolution.h"
#include "runtime/cpu/onednn/dense_copies.h"
#include "runtime/executor/copy_step.h"

namespace dynacc::cpu {
namespace {

bool IsDense(const StridedView& view) {
  StridedView dense = view;
  SetContiguousStrides(dense);
  return std::equal(dense.strides, dense.strides + dense.rank, view.strides);
}

// `source` under the shape of `result`.
absl::StatusOr<StridedView> Reshaped(const StridedView& source, StridedView result,
                                     executor::ScratchBlock& memory) {
  if (executor::ReshapeWithoutCopy(source, result)) return result;
  StridedView copy = source;
  SetContiguousStrides(copy);
  if (!memory.Allocate(std::max<int64_t>(copy.size(), 1) * ItemSize(copy.dtype))) {
    return absl::ResourceExhaustedError("no memory for an operand of a matrix product");
  }
  copy.data = memory.data();
  executor::CopyElements(source, copy);
  result.data = copy.data;
  SetContiguousStrides(result);
  return result;
}

}  // namespace

absl::StatusOr<StridedView> WindowMatrices(const StridedView& windows, const StridedView& b,
                                           const StridedView& out, executor::ScratchBlock& memory) {
  StridedView matrices = out;
  matrices.dtype = windows.dtype;
  matrices.shape[out.rank - 1] = b.shape[b.rank - 2];
  return Reshaped(windows, matrices, memory);
}

absl::StatusOr<StridedView> AsMatrix(const StridedView& filters, int64_t columns,
                                     executor::ScratchBlock& memory) {
  StridedView matrix = filters;
  matrix.rank = 2;
  matrix.shape[1] = columns;
  matrix.shape[0] = 1;
  for (int axis = 0; axis + 1 < filters.rank; ++axis) matrix.shape[0] *= filters.shape[axis];
  return Reshaped(filters, matrix, memory);
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
  DYNACC_ASSIGN_OR_RETURN(const StridedView matrices, WindowMatrices(windows, b, out, memory));
  return MultiplyArrays(matrices, b, epilogue, out);
}

}  // namespace dynacc::cpu
