// The plan of a compiled graph as bytes (docs/program.md, "The plan").
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/cpu/own/own_loops.h"
#include "runtime/executor/graph_executor.h"
#include "runtime/kernel/compiled_kernel.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/op.h"

namespace dynacc::program {

// Where a plan is used.
//
// A program's plan is a file's, for any machine: its loops are the library's own. A plan that is
// *kept* is for the process that has the same graph again (codegen/compile/kept_plan.h): its loops
// are the array library's, its steps know their fusion groups, and it may write into its inputs and
// make library calls.
struct PlanHost {
  kernel::LibraryLoop (*find_loop)(Op op, DType dtype) = cpu::OwnLoop;
  bool is_kept = false;
  // The graph's library calls (LibraryCallArguments::library_call_id), which differ from process to
  // process: in the bytes is the place here.
  absl::Span<const int64_t> calls = {};
  std::string description;  // CompiledGraph::Describe
  // Of programs, when they are saved: products of float32 are those of fast_math
  // (cpu::ContractedMatmul), and the library behind linear algebra (cpu::Lapack).
  bool contracts = false;
  std::string lapack = {};
};

// The kernel's number in the program.
using NumberOfKernel = absl::FunctionRef<int(const kernel::CompiledKernel&)>;

// The plan's bytes. UNIMPLEMENTED if a step has no form in a file, saying which.
absl::StatusOr<std::string> SavePlan(const executor::GraphExecutor& graph, NumberOfKernel number_of,
                                     const PlanHost& host = {});

// A kernel of a program: what it computes, and what runs it.
struct BoundKernel {
  kernel::Kernel kernel;
  std::shared_ptr<const kernel::CompiledKernel> compiled;
};

// The graph that SavePlan was given, with loops of the host's. INVALID_ARGUMENT if `bytes` are no
// plan of so many inputs and outputs, or one of its numbers is out of range. UNIMPLEMENTED if it
// needs a loop that is not there.
absl::StatusOr<std::unique_ptr<const executor::GraphExecutor>> LoadPlan(
    absl::string_view bytes, absl::Span<const BoundKernel> kernels, int num_inputs, int num_outputs,
    const PlanHost& host = {});

}  // namespace dynacc::program
