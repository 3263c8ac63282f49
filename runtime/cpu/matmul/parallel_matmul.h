// Products split over threads, block by block of the result.
#pragma once

#include "runtime/cpu/matmul/ordered_matmul_kernels.h"

namespace dynacc::cpu {

// Computes `p` by `multiply`; large ones on several threads. False if there is no memory for
// scratch: then parts of the result may have been written.
bool MultiplyInParallel(OrderedMatmulKernels::Multiply multiply, const Product& p);

}  // namespace dynacc::cpu
