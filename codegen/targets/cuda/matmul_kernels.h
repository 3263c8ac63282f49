// Matrix products on a device: cuBLASLt's where that library is there (MatmulLibrary), else an
// emitted module for each dtype, compiled when it is first asked for. Its two kernels are that of
// tiles and that of products by vectors, whose threads share each sum; the latter are always ours.
#pragma once

#include "codegen/targets/cuda/cuda_run.h"

namespace dynacc::cuda {

// Whether there are products of that dtype on a device: all but those of bools.
bool HasMatmulKernel(DType dtype);

// The CUDA C++ of its kernels, matmul_<dtype> and matvec_<dtype>.
std::string MatmulSource(DType dtype);

// out = a times b: (..., m, k), (..., k, n) and (..., m, n) of one dtype, the leading axes of the
// first two broadcast to the last one's, or missing. `out` shares no memory with the others. To be
// called in the run's CudaScope.
absl::Status MultiplyOnDevice(CudaRun& run, const StridedView& a, const StridedView& b,
                              const StridedView& out);

}  // namespace dynacc::cuda
