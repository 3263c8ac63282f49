// Matrix products on a device: one kernel for each dtype, compiled when it is first asked for.
#pragma once

#include "codegen/targets/cuda/cuda_run.h"

namespace dynacc {

// Whether there are products of that dtype on a device: all but those of bools.
bool HasMatmulKernel(DType dtype);

// The CUDA C++ of its kernel, matmul_<dtype>.
std::string MatmulSource(DType dtype);

// out = a times b: (..., m, k), (..., k, n) and (..., m, n) of one dtype, the leading axes of the
// first two broadcast to the last one's, or missing. `out` shares no memory with the others. To be
// called in the run's CudaScope.
absl::Status MultiplyOnDevice(CudaRun& run, const StridedView& a, const StridedView& b,
                              const StridedView& out);

}  // namespace dynacc
