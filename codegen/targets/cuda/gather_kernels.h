// Elements at places that indices name, on a device: read, or written. Kernels for each size of an
// element and number of indices, compiled when they are first asked for.
#pragma once

#include <string>
#include <vector>

#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/device_module.h"

namespace dynacc::cuda {

// Where the elements are.
struct DevicePlaces {
  struct Index {
    int axis = 0;      // of the target
    StridedView view;  // of integers, on the device
  };
  StridedView target;          // the array with the indexed axes, seen as GatherPlan::parts say
  std::vector<Index> indices;  // what is known of an axis without them is in the target's address
  std::vector<bool> is_whole;  // by axis of the target: none of them, and no number
  int place = 0, index_rank = 0;  // as in GatherPlan
  bool is_along = false;
  int64_t index_shape[kMaxRank];  // of the broadcast indices
  // Indices that are known before the run, by their order in the plan; 0: those that are not.
  std::vector<cuda::DevicePointer> uploaded;

  // The shape of the elements; without data or strides.
  StridedView shape() const;
};

// Fills `places` from the operands of `plan`; the target is `source`, or will have its shape.
// False: an index that is known to the host is out of bounds, or they do not broadcast. To be
// called, as the others, in the run's CudaScope. May be called again with another source; what it
// uploads is given back by LeavePlaces.
absl::StatusOr<bool> FindPlaces(CudaRun& run, executor::RunFrame& frame,
                                const executor::GatherPlan& plan, const StridedView& source,
                                DevicePlaces& places);
void LeavePlaces(CudaRun& run, DevicePlaces& places);

// `out` gets the elements at the places; it has their shape, and shares no memory with them. Where
// an index is out of bounds zeros, and the run's BeyondFlag is set.
absl::Status GatherOnDevice(CudaRun& run, const DevicePlaces& places, const StridedView& out);

// The elements at the places get `values`, which has their shape, with strides of 0 where it is
// broadcast. Of several elements for one place the last in C order is stored.
absl::Status ScatterOnDevice(CudaRun& run, const DevicePlaces& places, const DeviceOperand& values);

// The CUDA C++ of the kernels gather, claim and scatter for elements of so many bytes.
std::string GatherSource(int bytes, int indices);

}  // namespace dynacc::cuda
