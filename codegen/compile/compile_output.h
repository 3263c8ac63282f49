// What people see of a compile: files in a debug folder, names for `perf`, and the description for
// dynacc.explain.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "codegen/compile/debug_folder.h"
#include "codegen/emit/lowering.h"
#include "codegen/ir/graph.h"
#include "codegen/passes/pass_runner.h"
#include "runtime/kernel/compiled_kernel.h"

namespace dynacc::compile {

// The process's passes; each gets a file in `folder`, unless null, if it changed the graph.
passes::PassOptions ObservedPasses(const ir::Graph& graph, const DebugFolder* folder);

// Each kernel's steps, source and object.
void WriteKernels(const DebugFolder& folder, absl::Span<const kernel::Kernel> kernels,
                  absl::Span<const std::shared_ptr<const kernel::CompiledKernel>> compiled);

// "dynacc: f (prog.py:12) k0 at prog.py:14" (runtime/kernel/perf_map.h).
void NameForPerf(absl::Span<const kernel::Kernel> kernels,
                 absl::Span<const std::shared_ptr<const kernel::CompiledKernel>> compiled,
                 absl::string_view label);

// The schedule and the kernels, as text.
std::string DescribeKernels(
    const std::string& schedule, absl::Span<const emit::LoweredKernel> lowered,
    absl::Span<const std::shared_ptr<const kernel::CompiledKernel>> kernels);

}  // namespace dynacc::compile
