// RewriteGraph: the frame of every pass: a new graph, made node by node from the old one.
//
// The new graph has the old one's ScalarProgram (ids stay, expressions may be added), its inputs
// in their order and its outputs in theirs. Nodes that no rule touches are made again as they are.
// What a rule makes of a node has that node's location, origin and reported errors.
#pragma once

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"

namespace dynacc::passes {

// What becomes of `node` (of the old graph), whose operands are `operands` in the new `graph`: a
// node of the new graph with the same dtype, shape and elements, or null to keep it as it is.
using RewriteRule = absl::FunctionRef<const ir::Node*(ir::Graph& graph, const ir::Node& node,
                                                      absl::Span<const ir::Node* const> operands)>;

std::unique_ptr<ir::Graph> RewriteGraph(const ir::Graph& graph, RewriteRule rule);
// The same with the nodes in another order, in which each comes after its operands.
std::unique_ptr<ir::Graph> RewriteGraph(const ir::Graph& graph,
                                        absl::Span<const ir::Node* const> order, RewriteRule rule);

// How often each node is an operand or an output, by id.
std::vector<int> CountUses(const ir::Graph& graph);
// The nodes, by id, of which nothing but the elements counts: no output, and read by elementwise
// nodes alone, or stored.
std::vector<bool> FindReadByElements(const ir::Graph& graph);

// The same of the nodes for which `keep` is true; others get no node. What is kept must not use
// what is not, but where the rule leaves that operand aside. Inputs are always kept.
std::unique_ptr<ir::Graph> RewriteKept(const ir::Graph& graph,
                                       absl::FunctionRef<bool(const ir::Node&)> keep,
                                       RewriteRule rule);

// A copy of `graph` without the nodes for which `keep` is false. No kept node may use a dropped
// one, and inputs are always kept.
std::unique_ptr<ir::Graph> FilterGraph(const ir::Graph& graph,
                                       absl::FunctionRef<bool(const ir::Node&)> keep);

}  // namespace dynacc::passes
