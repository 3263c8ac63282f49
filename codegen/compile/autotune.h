// Autotuning: which way to compile a graph is the fastest here on the arrays at hand.
//
// Candidates (codegen/tuning) run on copies of the arrays and write into memory of their own, so
// nothing of the program's is touched, whoever uses it meanwhile. What is chosen is kept in the
// cache of kernels, by graph, sizes, options and machine, and not tried again.
#pragma once

#include "absl/types/span.h"
#include "codegen/compile/compiler.h"
#include "codegen/ir/graph.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::compile {

// Whether there is anything to choose: graphs for the host whose runs do nothing but compute.
bool MayBeTuned(const ir::Graph& graph, const CompileOptions& options);

// The options with what is chosen. `inputs` and `scalars` are those of a run (RunArguments) of the
// graph, for which MayBeTuned holds. Where a candidate cannot run on them the usual choice stays.
CompileOptions Autotune(const ir::Graph& graph, const CompileOptions& options,
                        absl::Span<const StridedView> inputs,
                        absl::Span<const ScalarValue> scalars);

}  // namespace dynacc::compile
