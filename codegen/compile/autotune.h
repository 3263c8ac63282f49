// Autotuning: a graph compiled in the way that is fastest here on the arrays at hand.
//
// Candidates (codegen/tuning) run on copies of the arrays and write into memory of their own, so
// nothing of the program's is touched, whoever uses it meanwhile. What is chosen is kept in the
// cache of kernels, by graph, sizes, options and machine, and not tried again.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/compile/compiler.h"
#include "codegen/ir/graph.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc::compile {

// Whether there is anything to choose: graphs for the host whose runs do nothing but compute.
bool MayBeTuned(const ir::Graph& graph, const CompileOptions& options);

// As CompileGraph. `inputs` and `scalars` are those of a run (RunArguments) of the graph, for which
// MayBeTuned holds. Where a candidate cannot run on them the usual choice stays.
absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> CompileTuned(
    const ir::Graph& graph, const CompileOptions& options, absl::Span<const StridedView> inputs,
    absl::Span<const ScalarValue> scalars);

}  // namespace dynacc::compile
