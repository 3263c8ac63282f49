// Dead code: drops nodes that no output needs.
//
// A node that may raise a flag or an error (MayRaise) stays, with all that it needs: NumPy would
// have warned. The scheduler computes such a node and discards the result.
#pragma once

#include <memory>

#include "absl/functional/function_ref.h"
#include "codegen/ir/graph.h"

namespace dynacc {

std::unique_ptr<Graph> EliminateDeadCode(const Graph& graph);

// Drops the nodes that neither an output nor a node of `is_root` needs.
std::unique_ptr<Graph> KeepReachable(const Graph& graph,
                                     absl::FunctionRef<bool(const Node&)> is_root);

}  // namespace dynacc
