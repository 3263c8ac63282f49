// Rolls are left to kernels, which read through them (LaunchStep). A Roll that anything else uses,
// a view or a reduction or the program, becomes an array into which the pieces of its operand are
// stored.
#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

bool IsPointwise(Op op) { return IsElementwise(op) || op == Op::kCast || op == Op::kWhere; }

// For each node, whether anything but a kernel uses it.
std::vector<bool> FindUsedOutside(const ir::Graph& graph) {
  std::vector<bool> used(graph.nodes().size());
  for (const ir::Node* output : graph.outputs()) used[output->id] = true;
  for (const ir::Node* node : graph.nodes()) {
    if (IsPointwise(node->op)) continue;
    for (const ir::Node* operand : node->operands) used[operand->id] = true;
  }
  return used;
}

// A rolled array is made of pieces: along each axis that is rolled, what comes first, which the
// operand has last, and the rest.
class Pieces {
 public:
  Pieces(ir::Graph& graph, const ir::Node& roll, const ir::Node* operand)
      : graph_(graph), roll_(roll), operand_(operand), axes_(roll.shape.size()) {
    std::iota(axes_.begin(), axes_.end(), 0);
  }

  const ir::Node* Store() {
    result_ = graph_.Empty(roll_.dtype, roll_.shape);
    AddAxis(0);
    return result_;
  }

 private:
  // Stores the pieces that the axes before `axis` leave.
  void AddAxis(int axis) {
    ScalarProgram& scalars = graph_.scalars();
    if (axis == roll_.rank()) return StorePiece();
    const ScalarId zero = scalars.Int(0);
    const ScalarId shift = roll_.attrs.scalars[axis];
    const ScalarId size = roll_.shape[axis];
    const ScalarId rest = scalars.Apply(ScalarOp::kSub, size, shift);
    AddPiece(axis, zero, shift, rest);
    if (shift != zero) AddPiece(axis, rest, zero, shift);
  }

  void AddPiece(int axis, ScalarId from, ScalarId to, ScalarId size) {
    from_.push_back(from);
    to_.push_back(to);
    shape_.push_back(size);
    AddAxis(axis + 1);
    from_.pop_back();
    to_.pop_back();
    shape_.pop_back();
  }

  void StorePiece() {
    const std::vector<ScalarId> step(axes_.size(), graph_.scalars().Int(1));
    const ir::Node* const piece = MakeView(graph_, operand_, {shape_, axes_, from_, step});
    result_ = graph_.Store(result_, piece, axes_, to_, step);
  }

  ir::Graph& graph_;
  const ir::Node& roll_;
  const ir::Node* operand_;
  const ir::Node* result_ = nullptr;
  std::vector<int64_t> axes_;
  std::vector<ScalarId> from_, to_, shape_;
};

}  // namespace

std::unique_ptr<ir::Graph> MaterializeRolls(const ir::Graph& graph) {
  const bool has_rolls =
      absl::c_any_of(graph.nodes(), [](const ir::Node* node) { return node->op == Op::kRoll; });
  if (!has_rolls) return nullptr;
  const std::vector<bool> used_outside = FindUsedOutside(graph);
  return RewriteGraph(graph,
                      [&](ir::Graph& target, const ir::Node& node,
                          absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                        const bool materialize = node.op == Op::kRoll && used_outside[node.id];
                        return materialize ? Pieces(target, node, operands[0]).Store() : nullptr;
                      });
}

}  // namespace dynacc::passes
