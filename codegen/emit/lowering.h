// Lowering of a fusion group to a kernel.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "codegen/schedule/schedule.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::emit {

struct LoweredKernel {
  kernel::Kernel kernel;
  std::vector<const ir::Node*> inputs;   // the node that each of the kernel's inputs reads
  std::vector<const ir::Node*> outputs;  // the node that each output stores
  bool may_raise_flags = false;          // whether any step does what NumPy reports flags for
  double cost = 0;                       // rough nanoseconds an element
};

// Lowers the elementwise nodes of `group`. For a reduction, the kernel's one output is what is
// reduced (`outputs` is then the reduction's operand); a logical reduction of numbers gets a cast
// to bool, as NumPy's reduce has. A reduction without producer nodes and cast gives a kernel
// without steps: there is nothing to run.
LoweredKernel LowerGroup(const schedule::Group& group, absl::string_view name, bool fast_math);

// Whether a kernel shall be able to write past the cache: one that makes results of the graph
// alone, where the rows that it reads are in the cache.
bool MayStoreNonTemporally(const ir::Graph& graph, const schedule::Schedule& schedule,
                           const schedule::Group& group);

}  // namespace dynacc::emit
