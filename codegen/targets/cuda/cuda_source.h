// The CUDA C++ of one graph's groups.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/emit/lowering.h"
#include "codegen/emit/row_loop.h"
#include "codegen/schedule/schedule.h"

namespace dynacc::cuda {

// A group that has kernels on a device.
struct CudaGroup {
  int group = 0;           // its number in the schedule
  kernel::Kernel kernel;   // named g<number>; of a reduction, what is reduced
  bool has_tiles = false;  // it has a form for operands that lie along different axes
  bool has_rolls = false;  // it reads rolled arrays, and has a form for them alone
  bool is_reduction = false;
  Op reduction = Op::kReduceSum;
};

// Elementwise groups and reductions; others are the host's.
std::vector<CudaGroup> CudaGroupsOf(absl::Span<const schedule::Group> groups,
                                    absl::Span<const emit::LoweredKernel> lowered);

// A row kernel of the schedule, as it is emitted.
struct CudaRowGroup {
  // Where an operand of the program is known from: an input of a group's kernel, or its output.
  struct Origin {
    int group = 0;
    int index = 0;
  };
  int first = 0, last = 0;   // groups
  int from = 0, to = 0;      // the axes along which a row goes
  emit::RowProgram program;  // named r<number>
  std::vector<Origin> inputs, outputs;
};

// The row kernels whose groups are all among `groups`, and whose rows can be kept.
std::vector<CudaRowGroup> CudaRowGroupsOf(const schedule::Schedule& schedule,
                                          absl::Span<const emit::LoweredKernel> lowered,
                                          absl::Span<const CudaGroup> groups);

// The module of all their kernels. INTERNAL as EmitModule.
absl::StatusOr<std::string> EmitCudaModule(absl::Span<const CudaGroup> groups,
                                           absl::Span<const CudaRowGroup> rows = {});

}  // namespace dynacc::cuda
