// Elements at places that indices name, combined with values, on a device: what `np.add.at` does.
//
// The result is the same in every run. Where the order of combinations does not matter, as in sums
// of integers, each is one atomic operation. Where it does, the places are sorted, those that are
// the same by the number of their indices, and a thread for each place and element combines its
// values from first to last, as NumPy does. Kernels for each op, dtype and number of indices,
// compiled when they are first asked for.
#pragma once

#include <string>

#include "codegen/targets/cuda/gather_kernels.h"
#include "runtime/ops/op.h"

namespace dynacc::cuda {

// Whether there are kernels that combine elements of `dtype` by `op`.
bool HasCombineKernels(Op op, DType dtype);

// The elements at the places become op(element, value), once for each time that a place is named.
// `values` as of ScatterOnDevice. False: so many places or indices are the host's; nothing is done.
absl::StatusOr<bool> CombineOnDevice(CudaRun& run, Op op, const DevicePlaces& places,
                                     const DeviceOperand& values);

// The CUDA C++ of the kernels: combine (in any order), or place_keys, sort_step, sort_tiles and
// combine_sorted.
std::string CombineSource(Op op, DType dtype, int indices);

}  // namespace dynacc::cuda
