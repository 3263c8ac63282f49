// Differentiation of graphs: from a graph the graphs that also compute its derivatives.
//
// REVERSE MODE. The joint graph of y = f(x) computes y and, for cotangents g of chosen outputs, the
// cotangents of chosen inputs: g times the Jacobian of f (gradient_rules.h has the rules, and what
// holds for complex numbers). It is an ordinary graph: passes, fusion and targets know nothing of
// gradients, and a joint graph has a joint graph.
//
//   inputs    f's, then one cotangent for each of `outputs`, of that output's dtype and shape; none
//             if `unit_cotangents`: then every element of them is 1
//   outputs   f's, with their targets, then one gradient for each of `inputs`, of its dtype and
//             shape; zeros where the input does not influence the outputs
//
// The nodes of f come first, as they are, so f's outputs keep their bits, memory order and reported
// errors. What is computed for gradients reports no floating-point errors. No node is made for a
// cotangent that is zero by structure, and none is left that no output needs.
//
// FORWARD MODE is reverse mode twice, node by node. What a rule makes is linear in g, and the rules
// of that, by g, compute the Jacobian times a tangent. So one table of rules serves both, and no
// rule can disagree with a second one. Nothing of the first round is left but what the second one
// reads, so the graph is as long as one made by rules for tangents. Nodes that run graphs have
// graphs with tangents. (The trick is known from Theano's and
// TensorFlow's users; that transposition undoes itself is in Radul and others, "You Only Linearize
// Once", POPL 2023.)
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/ir/graph.h"

namespace dynacc::autodiff {

struct DerivativeOptions {
  std::vector<int> inputs;       // with respect to which; indices of Graph::inputs()
  std::vector<int> outputs;      // of which; indices of Graph::outputs()
  bool unit_cotangents = false;  // of joint graphs only
  // False: the graph has no outputs of f's, and nothing that only they need. It writes into no
  // input.
  bool with_values = true;
};

// Errors: INVALID_ARGUMENT for an index that is none, or is there twice, or an input or output that
// is neither of floats nor complex; UNIMPLEMENTED for an op that has a gradient and no rule for it,
// where a cotangent arrives. That one names the node, the user's line, and what to do.
absl::StatusOr<std::unique_ptr<ir::Graph>> BuildJointGraph(const ir::Graph& forward,
                                                           const DerivativeOptions& options);

// As the joint graph, but inputs: f's, then one tangent for each of `inputs`; outputs: f's, then
// the tangent of each of `outputs`, zeros where no tangent arrives. Errors: the same.
absl::StatusOr<std::unique_ptr<ir::Graph>> BuildTangentGraph(const ir::Graph& forward,
                                                             const DerivativeOptions& options);

}  // namespace dynacc::autodiff
