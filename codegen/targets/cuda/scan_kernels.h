// Scans on a device: three kernels for each operation and dtype, compiled when they are first asked
// for.
#pragma once

#include <string>

#include "codegen/targets/cuda/cuda_run.h"
#include "runtime/ops/op.h"

namespace dynacc::cuda {

// Whether there are scans by that reduction (a sum or a product) of elements of that dtype.
bool HasScanKernel(Op reduction, DType dtype);

// The CUDA C++ of scan_rows, scan_totals and scan_columns.
std::string ScanSource(Op reduction, DType dtype);

// `out` gets, along `axis`, the combination of all elements of `in` up to each one. Both lie in C
// order without gaps, and share no memory. To be called in the run's CudaScope.
absl::Status ScanOnDevice(CudaRun& run, Op reduction, const StridedView& in, int axis,
                          const StridedView& out);

}  // namespace dynacc::cuda
