// View composition: a View of a View becomes one View of what lies below, a View of a Scalar or a
// Full becomes a Full, a Store into a part becomes a Store into the whole, and Views, Casts,
// Reshapes and Stores that change nothing are elided.
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {

namespace {

// A roll of what `inner` rolls, as one roll.
const ir::Node* ComposeRolls(ir::Graph& graph, const ir::Node& inner, const ir::Node& outer) {
  ScalarProgram& scalars = graph.scalars();
  ir::ShapeVector shifts;
  for (size_t axis = 0; axis < outer.shape.size(); ++axis) {
    const ScalarId first = inner.attrs.scalars[axis];
    const ScalarId second = outer.attrs.scalars[axis];
    const ScalarId zero = scalars.Int(0);
    if (first == zero || second == zero) {
      shifts.push_back(first == zero ? second : first);
      continue;
    }
    const ScalarId sum = scalars.Apply(ScalarOp::kAdd, first, second);
    shifts.push_back(scalars.Apply(ScalarOp::kMod, sum, outer.shape[axis]));
  }
  return graph.Roll(inner.operands[0], shifts);
}

}  // namespace

std::unique_ptr<ir::Graph> ComposeViews(const ir::Graph& graph) {
  return RewriteGraph(graph,
                      [](ir::Graph& target, const ir::Node& node,
                         absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                        if (node.op == Op::kView) return MakeView(target, operands[0], MapOf(node));
                        if (node.op == Op::kStore) {
                          return MakeStore(target, operands[0], operands[1], MapOf(node));
                        }
                        if (node.op == Op::kRoll && operands[0]->op == Op::kRoll) {
                          return ComposeRolls(target, *operands[0], node);
                        }
                        if (node.op == Op::kReshape && operands[0]->shape == node.shape)
                          return operands[0];
                        if (node.op == Op::kCast && operands[0]->dtype == node.dtype)
                          return operands[0];
                        return nullptr;
                      });
}

}  // namespace dynacc::passes
