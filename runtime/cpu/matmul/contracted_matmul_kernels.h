// Products of float32 matrices under fast_math, for each width of vector registers: as
// OrderedMatmulKernels', with a product and the sum that it is added to rounded once (fused
// multiply-add), which takes half the operations.
//
// Each element is still the sum of its products from the first to the last, so that its bits depend
// neither on how the work is laid out nor on the width of the registers.
#pragma once

#include "runtime/cpu/matmul/ordered_matmul_kernels.h"

namespace dynacc::cpu {

// Those for every machine do not contract: x86-64 has the operation from v3 on.
extern const OrderedMatmulKernels::Multiply kContractedMatmulBase;
extern const OrderedMatmulKernels::Multiply kContractedMatmulV3;
extern const OrderedMatmulKernels::Multiply kContractedMatmulV4;

// The one for the widest registers that this machine has and DYNACC_CPU allows.
OrderedMatmulKernels::Multiply BestContractedMatmul();

}  // namespace dynacc::cpu
