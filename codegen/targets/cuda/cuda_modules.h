// Compiled modules of CUDA C++, from the kernel cache, and the kernels in them.
#pragma once

#include <memory>
#include <string>

#include "codegen/targets/cuda/cuda_steps.h"

namespace dynacc::cuda {

// `source`, compiled for the device and loaded there; a module that was asked for before is the
// same one. Errors: UNAVAILABLE (no NVRTC), INTERNAL (does not compile), the driver's own.
absl::StatusOr<std::shared_ptr<const CudaKernelModule>> GetCudaModule(CudaDevice& device,
                                                                      const std::string& source,
                                                                      int num_kernels,
                                                                      bool fast_math);

// NOT_FOUND: the module has no such kernel.
absl::StatusOr<CudaKernel> FindCudaKernel(const CudaModule& module, const std::string& name);

}  // namespace dynacc::cuda
