// The dialect of CUDA C++: kernels for NVRTC, one thread an element.
//
// Results have NumPy's meaning but not always NumPy's bits: functions are those of CUDA's
// mathematics library. A captured NumPy program may therefore only run here under fast_math.
#pragma once

#include "codegen/emit/dialect.h"

namespace dynacc::cuda {

const emit::Dialect& CudaDialect();

// The name under which emitted modules include the prelude, and its text (prelude/*.h).
inline constexpr char kCudaPreludeName[] = "dynacc_cuda_prelude.h";
extern const char kCudaPrelude[];

}  // namespace dynacc::cuda
