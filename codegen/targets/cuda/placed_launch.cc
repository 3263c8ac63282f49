#include "codegen/targets/cuda/placed_launch.h"

#include <algorithm>

#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

// An index's strides along the elements' axes.
void IndexStrides(const DevicePlaces& places, const StridedView& index, int64_t* strides) {
  const int first = places.place + places.index_rank - index.rank;
  for (int i = 0; i < index.rank; ++i) {
    strides[first + i] = index.shape[i] == 1 ? 0 : index.strides[i];
  }
}

// The number of each element among the indices' places, as strides.
void ClaimStrides(const DevicePlaces& places, const StridedView& shape, int64_t* strides) {
  int64_t step = 1;
  for (int i = places.place + places.index_rank - 1; i >= places.place; --i) {
    strides[i] = step;
    step *= shape.shape[i];
  }
}

}  // namespace

StridedView WithoutIndices(const DevicePlaces& places, const StridedView& shape) {
  StridedView seen = shape;
  seen.dtype = places.target.dtype;
  seen.data = places.target.data;
  if (places.is_along) {
    for (int i = 0; i < seen.rank; ++i) {
      const bool stays = places.is_whole[i] && places.target.shape[i] != 1;
      seen.strides[i] = stays ? places.target.strides[i] : 0;
    }
    return seen;
  }
  int axis = 0;
  for (int i = 0; i < seen.rank; ++i) {
    seen.strides[i] = 0;
    if (i >= places.place && i < places.place + places.index_rank) continue;
    while (!places.is_whole[axis]) ++axis;
    seen.strides[i] = places.target.strides[axis++];
  }
  return seen;
}

void FillNest(const DevicePlaces& places, const StridedView& other, executor::LoopNest& nest) {
  const StridedView seen = WithoutIndices(places, other);
  executor::StartNest(nest, other.rank, other.shape);
  executor::AddOperand(nest, seen.data, seen.strides);
  executor::AddOperand(nest, other.data, other.strides);
  int64_t claims[kMaxRank] = {};
  ClaimStrides(places, other, claims);
  executor::AddOperand(nest, nullptr, claims);
  for (const DevicePlaces::Index& index : places.indices) {
    int64_t strides[kMaxRank] = {};
    IndexStrides(places, index.view, strides);
    executor::AddOperand(nest, index.view.data, strides);
  }
  executor::OptimizeNest(nest);
}

std::vector<KernelParameters::IndexedAxis> AxesOf(const DevicePlaces& places) {
  std::vector<KernelParameters::IndexedAxis> axes;
  for (const DevicePlaces::Index& index : places.indices) {
    KernelParameters::IndexedAxis& axis = axes.emplace_back();
    axis.size = places.target.shape[index.axis];
    axis.step = places.target.strides[index.axis];
    axis.dtype = index.view.dtype;
  }
  int64_t slot = 1;
  for (size_t k = axes.size(); k-- > 0; slot *= axes[k].size) axes[k].slot = slot;
  return axes;
}

StridedView IndexShape(const DevicePlaces& places, const StridedView& shape) {
  StridedView only;
  only.dtype = shape.dtype;
  only.rank = places.index_rank;
  std::copy_n(shape.shape + places.place, places.index_rank, only.shape);
  std::fill_n(only.strides, only.rank, 0);
  return only;
}

absl::Status LaunchPlaced(CudaRun& run, const CudaKernel& kernel, const executor::LoopNest& nest,
                          absl::Span<const KernelParameters::IndexedAxis> axes,
                          cuda::DevicePointer claims, const int64_t* size) {
  KernelParameters parameters;
  KernelParameters::Places places;
  places.claims = claims;
  DYNACC_ASSIGN_OR_RETURN(places.beyond, run.BeyondFlag());
  parameters.SetPlaced(nest, axes, places);
  CudaLaunch launch;
  launch.function = kernel.function;
  launch.name = kernel.name.c_str();
  launch.block_x = kCudaBlockThreads;
  const int64_t blocks = (nest.size() + kCudaBlockThreads - 1) / kCudaBlockThreads;
  launch.grid_x = static_cast<unsigned>(std::min(blocks, kernel.max_blocks));
  return run.Launch(launch, parameters.all(), size);
}

}  // namespace dynacc::cuda
