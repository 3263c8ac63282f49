// SpecializeGraph: a graph for one choice of its numbers.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "runtime/scalar/scalar_program.h"

namespace dynacc::ir {

// `graph` with the scalar program's inputs replaced by `inputs` and every expression by its value.
// All sizes are then constants, so that VerifyGraph, which the result has passed, has checked every
// bound. INVALID_ARGUMENT if there are more or fewer numbers than inputs, or an expression of them
// has no value, or they are not what the graph requires, or it has data-dependent numbers; INTERNAL
// if the graph does not verify with these numbers.
absl::StatusOr<std::unique_ptr<Graph>> SpecializeGraph(const Graph& graph,
                                                       absl::Span<const ScalarValue> inputs);

// Likewise a graph of all of `graph`'s inputs whose one output is `node`. Nodes that it does not
// need are left out, and data-dependent numbers that it needs stay what they are.
absl::StatusOr<std::unique_ptr<Graph>> SpecializeNode(const Graph& graph, const Node* node,
                                                      absl::Span<const ScalarValue> inputs);

}  // namespace dynacc::ir
