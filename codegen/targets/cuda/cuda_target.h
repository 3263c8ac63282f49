// The cuda target: kernels printed as CUDA C++, compiled by NVRTC for the device at hand, and
// launched on it. What has no kernel there (matrix products, library calls, moves of elements) runs
// on the host, with copies around it.
//
// Results have NumPy's meaning but not always its bits: mathematical functions are CUDA's, sums
// are added in another order, and no floating-point flag is reported.
#pragma once

#include <memory>
#include <string>

#include "codegen/targets/target.h"
#include "runtime/cuda/cuda_device.h"

namespace dynacc::cuda {

const targets::Target* CudaTarget();

}  // namespace dynacc::cuda
