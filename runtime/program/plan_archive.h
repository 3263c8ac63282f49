// The plan of a compiled graph as bytes (docs/program.md, "The plan").
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/executor/graph_executor.h"
#include "runtime/kernel/compiled_kernel.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::program {

// The plan's bytes. `number_of`: the kernel's number in the program. UNIMPLEMENTED if a step has no
// form in a file, saying which.
absl::StatusOr<std::string> SavePlan(
    const executor::GraphExecutor& graph,
    absl::FunctionRef<int(const kernel::CompiledKernel&)> number_of);

// A kernel of a program: what it computes, and what runs it.
struct BoundKernel {
  kernel::Kernel kernel;
  std::shared_ptr<const kernel::CompiledKernel> compiled;
};

// The graph that SavePlan was given, with its loops from cpu::OwnLoop. INVALID_ARGUMENT if `bytes`
// are no plan of so many inputs and outputs, or one of its numbers is out of range. UNIMPLEMENTED
// if it needs a loop that this library does not have.
absl::StatusOr<std::unique_ptr<const executor::GraphExecutor>> LoadPlan(
    absl::string_view bytes, absl::Span<const BoundKernel> kernels, int num_inputs,
    int num_outputs);

}  // namespace dynacc::program
