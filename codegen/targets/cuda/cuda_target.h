// The cuda target: kernels printed as CUDA C++ and compiled by NVRTC to cubins for sm_80 and sm_90.
//
// Nothing is launched yet: what was compiled is kept as a proof that it compiles, and the graph is
// run by the tile target's library loops, with NumPy's bits. It needs libnvrtc, but no GPU.
#pragma once

#include "codegen/targets/target.h"

namespace dynacc {

const Target* CudaTarget();

}  // namespace dynacc
