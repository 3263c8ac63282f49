// Copies between places in a device's memory, by kernels where a memcpy does not do.
#pragma once

#include "codegen/targets/cuda/cuda_run.h"

namespace dynacc::cuda {

// Copies the elements that `from` shows, or its number, into `to`, of the same dtype and shape. The
// two share no memory. To be called in the run's CudaScope.
absl::Status CopyOnDevice(CudaRun& run, const DeviceOperand& from, const StridedView& to);

}  // namespace dynacc::cuda
