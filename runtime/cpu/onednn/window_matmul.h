// Products of windows of an array, by oneDNN: as convolutions where they are such (convolution.h),
// otherwise of a copy of the windows (array_matmul.h).
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/cpu/onednn/array_matmul.h"
#include "runtime/executor/run_frame.h"

namespace dynacc::cpu {

// The elements of `filters` as a matrix of `columns` columns; where they are, or in `memory`.
// RESOURCE_EXHAUSTED.
absl::StatusOr<StridedView> AsMatrix(const StridedView& filters, int64_t columns,
                                     executor::ScratchBlock& memory);

// out = epilogue(m @ b), where m is executor::WindowMatrices and b one matrix, in float32.
// `source_axes`: convolution.h. OneDnnStatus() must be OK. Errors and flags: as MultiplyFused.
absl::Status MultiplyWindows(const StridedView& windows, absl::Span<const int64_t> source_axes,
                             const StridedView& b, absl::Span<const ArrayStep> epilogue,
                             const StridedView& out);

}  // namespace dynacc::cpu
