// Launches of kernels that walk over elements at indexed places (PlacedOperands of
// prelude/gather.h).
#pragma once

#include <vector>

#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "codegen/targets/cuda/gather_kernels.h"
#include "runtime/executor/loop_nest.h"

namespace dynacc::cuda {

// The target as the elements' shape shows it before any index is added; `shape` gives the sizes.
StridedView WithoutIndices(const DevicePlaces& places, const StridedView& shape);

// The shape of the broadcast indices, as elements without whole axes.
StridedView IndexShape(const DevicePlaces& places, const StridedView& shape);

// The operands of such a kernel: the target, `other`, which has the elements' shape, the number of
// each element among the indices' places, the indices. The axes are in whatever order is fast.
void FillNest(const DevicePlaces& places, const StridedView& other, executor::LoopNest& nest);

std::vector<KernelParameters::IndexedAxis> AxesOf(const DevicePlaces& places);

// `claims`: what the kernel keeps of each place, or each index; `size`: the second parameter.
absl::Status LaunchPlaced(CudaRun& run, const CudaKernel& kernel, const executor::LoopNest& nest,
                          absl::Span<const KernelParameters::IndexedAxis> axes,
                          cuda::DevicePointer claims, const int64_t* size = nullptr);

}  // namespace dynacc::cuda
