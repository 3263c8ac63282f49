// A plain interpreter of kernels, one element at a time: what compiled kernels are compared with.
//
// It knows the ops that random_kernel.h makes, in portable C++ written without a look at the
// prelude.
#pragma once

#include <cstdint>

#include "runtime/kernel/kernel.h"

namespace dynacc::cpu {

// As CompiledKernel::Run. Library steps call the registered library loop for one element.
void InterpretKernel(const kernel::Kernel& kernel, char* const* pointers, const int64_t* strides,
                     int64_t n);

}  // namespace dynacc::cpu
