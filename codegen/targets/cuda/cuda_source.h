// The CUDA C++ of one graph's groups.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/kernel/lowering.h"
#include "codegen/schedule/schedule.h"

namespace dynacc {

// A group that has kernels on a device.
struct CudaGroup {
  int group = 0;  // its number in the schedule
  Kernel kernel;  // named g<number>; of a reduction, what is reduced
  bool is_reduction = false;
  Op reduction = Op::kReduceSum;
};

// Elementwise groups and reductions; others are the host's.
std::vector<CudaGroup> CudaGroupsOf(absl::Span<const Group> groups,
                                    absl::Span<const LoweredKernel> lowered);

// The module of all their kernels. INTERNAL as EmitModule.
absl::StatusOr<std::string> EmitCudaModule(absl::Span<const CudaGroup> groups);

}  // namespace dynacc
