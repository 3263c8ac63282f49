#include "codegen/passes/unify_sizes.h"

#include <numeric>
#include <vector>

#include "codegen/graph/node_rules.h"
#include "codegen/passes/graph_rewriter.h"

namespace dynacc {
namespace {

// The sizes that are equal to one another, each set known by its oldest.
class EqualSizes {
 public:
  explicit EqualSizes(const Graph& graph) : oldest_(graph.scalars().size()) {
    std::iota(oldest_.begin(), oldest_.end(), 0);
    const ScalarProgram& scalars = graph.scalars();
    for (const ScalarId condition : graph.conditions()) {
      const ScalarExpr& expr = scalars.expr(condition);
      // A late condition is checked in the middle of the run, when what is of the sizes may be
      // done.
      if (expr.op == ScalarOp::kEq && scalars.Level(condition) == 0) Join(expr.a, expr.b);
    }
  }

  ScalarId OldestOf(ScalarId size) const {
    while (oldest_[size] != size) size = oldest_[size];
    return size;
  }

 private:
  void Join(ScalarId a, ScalarId b) {
    a = OldestOf(a);
    b = OldestOf(b);
    oldest_[std::max(a, b)] = std::min(a, b);
  }

  std::vector<ScalarId> oldest_;
};

}  // namespace

std::unique_ptr<Graph> UnifySizes(const Graph& graph) {
  const EqualSizes equal(graph);
  return RewriteGraph(graph,
                      [&](Graph& target, const Node& node, absl::Span<const Node* const> operands) {
                        ShapeVector shape;
                        for (const ScalarId size : node.shape)
                          shape.push_back(equal.OldestOf(size));
                        return target.Make(node.op, node.dtype, shape, operands, node.attrs);
                      });
}

}  // namespace dynacc
