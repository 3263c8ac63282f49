#include "runtime/kernel/compiled_kernel.h"

#include <vector>

namespace dynacc {

void CompiledKernel::RunRows(char* const* pointers, const int64_t* strides, int64_t n,
                             const KernelRows& rows, bool) const {
  std::vector<char*> at(pointers, pointers + rows.num_operands);
  for (int64_t row = 0; row < rows.count; ++row) {
    Run(at.data(), strides, n);
    for (int k = 0; k < rows.num_operands; ++k) at[k] += rows.strides[k];
  }
}

}  // namespace dynacc
