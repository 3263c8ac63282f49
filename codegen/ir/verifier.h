// VerifyGraph: checks every rule of graph.h's SEMANTICS that can be known without running.
//
// Run after the front end has made a graph and after every pass. What depends on run-time sizes
// (bounds of views, equal counts of reshapes, batch sizes of matmul) is checked where the sizes
// are constants.
#pragma once

#include "absl/status/status.h"
#include "codegen/ir/graph.h"

namespace dynacc::ir {

// INTERNAL naming the first node that breaks a rule, as printed, and the rule.
absl::Status VerifyGraph(const Graph& graph);

// Whether the graph may have `node`, an example of one that is yet to be made, whose id is the
// next: INTERNAL with the rule that it breaks.
absl::Status VerifyNode(const Graph& graph, const Node& node);

}  // namespace dynacc::ir
