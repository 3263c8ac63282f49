// What reverse and forward mode share: which nodes have derivatives, copies of graphs, and errors
// that name the user's line (joint_graph.h has the contract).
#pragma once

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "codegen/autodiff/gradient_rules.h"
#include "codegen/autodiff/joint_graph.h"
#include "codegen/ir/graph.h"

namespace dynacc::autodiff {

using Nodes = std::vector<const ir::Node*>;

// INVALID_ARGUMENT for options that name what is not there, is there twice, or has no derivatives.
absl::Status CheckOptions(const ir::Graph& graph, const DerivativeOptions& options);

// UNIMPLEMENTED, with the node, the user's line and what to do.
absl::Status NoGradient(const ir::Graph& graph, const ir::Node& node, absl::string_view why);

// Whether a derivative of the node may not be zero if those of `active` are not: by ids, of earlier
// nodes.
bool DependsOn(const ir::Node& node, const std::vector<bool>& active);

// Adds the nodes of `graph` for which `keep` holds to `copy`, an empty graph, with origins of their
// own; gives them by their ids in `graph`.
Nodes CopyNodes(const ir::Graph& graph, ir::Graph& copy,
                absl::FunctionRef<bool(const ir::Node&)> keep);

// The graph without nodes that no output needs. Nodes for which `tells` holds are needed for the
// floating-point errors that they report, and nodes that define sizes wherever they stand.
std::unique_ptr<ir::Graph> WithoutUnneeded(const ir::Graph& graph,
                                           absl::FunctionRef<bool(const ir::Node&)> tells);

// The graph with loops that also give their carries before each round, which LoopGradient needs:
// those that depend on one of the inputs and have a length. Null if there are none.
std::unique_ptr<ir::Graph> SaveCarries(const ir::Graph& graph, absl::Span<const int> inputs);

// A Cond or Loop that gives its results' tangents, too.
struct TangentNode {
  const ir::Node* node;
  std::vector<int64_t> places;  // which of its results is each of the original's
  Nodes tangents;               // of each of those; null: zero
};
// `tangents`: of the node's operands, by position; null: zero. Errors: BuildTangentGraph's.
absl::StatusOr<TangentNode> TangentOfControlFlow(ir::Graph& graph, const ir::Node& node,
                                                 const Nodes& tangents);

}  // namespace dynacc::autodiff
