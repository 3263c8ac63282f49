#include "runtime/kernel/compiled_kernel.h"

#include <vector>

#include "runtime/base/check.h"

namespace dynacc::kernel {

void CompiledKernel::RunRows(char* const* pointers, const int64_t* strides, int64_t n,
                             const KernelRows& rows, bool) const {
  std::vector<char*> at(pointers, pointers + rows.num_operands);
  for (int64_t row = 0; row < rows.count; ++row) {
    Run(at.data(), strides, n);
    for (int k = 0; k < rows.num_operands; ++k) at[k] += rows.strides[k];
  }
}

void CompiledKernel::Fold(char* const*, const int64_t*, const KernelRows&,
                          absl::Span<const FoldBlock>, char*) const {
  DYNACC_CHECK(false) << "a kernel that does not fold";
}

}  // namespace dynacc::kernel
