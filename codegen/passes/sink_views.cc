// Sinking views: a View of an elementwise node that nothing else uses becomes the node on Views of
// its operands, so that a slice of something computed is computed on the slice, in one kernel.
//
//   view(multiply(a, b))  ->  multiply(view(a), view(b))
//
// Only where no element is then computed twice (IsInjection), and
//   - a node that may raise flags must run on all of its elements, so it lets only permutations of
//     axes through (IsBijection);
//   - a reduction or a library function adds floats in an order that depends on how they lie in
//     memory, and some functions give other memory orders where there are gaps, so what such a one
//     reads keeps its slices: a slice of an array has gaps, a computed slice has none. Permutations
//     are kept by NumPy's results and do no harm.
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

bool IsPointwise(Op op) { return IsElementwise(op) || op == Op::kCast || op == Op::kWhere; }

// For each node, whether something reads it whose result may depend on gaps in memory: the bits of
// floats, and what a library's function likes, its result's memory order included.
std::vector<bool> FindLayoutSensitive(const ir::Graph& graph) {
  std::vector<bool> sensitive(graph.nodes().size());
  for (const ir::Node* node : graph.nodes()) {
    if (IsPointwise(node->op)) continue;
    // What is stored is only copied; the base gives the result its place in memory.
    const size_t count = node->op == Op::kStore ? 1 : node->operands.size();
    for (const ir::Node* operand : node->operands.subspan(0, count)) {
      const bool matters = ir::MakesCall(*node) || IsInexact(operand->dtype);
      sensitive[operand->id] = sensitive[operand->id] || matters;
    }
  }
  return sensitive;
}

class Sinker {
 public:
  explicit Sinker(const ir::Graph& graph)
      : graph_(graph), uses_(CountUses(graph)), layout_sensitive_(FindLayoutSensitive(graph)) {}

  std::unique_ptr<ir::Graph> Run();

 private:
  bool CanPass(const ir::Node& node, bool bijection) const {
    return IsPointwise(node.op) && uses_[node.id] == 1 && (bijection || !ir::MayRaise(node));
  }

  // The elements of `made`, the new graph's node for `node`, seen through `map`.
  const ir::Node* Sink(ir::Graph& target, const ir::Node& node, const ir::Node* made,
                       const ViewMap& map, bool bijection);

  const ir::Graph& graph_;
  std::vector<int> uses_;
  std::vector<bool> layout_sensitive_;
  absl::flat_hash_set<const ir::Node*> replaced_;  // of the new graph: computed on a view instead
};

const ir::Node* Sinker::Sink(ir::Graph& target, const ir::Node& node, const ir::Node* made,
                             const ViewMap& map, bool bijection) {
  if (!CanPass(node, bijection)) return MakeView(target, made, map);
  replaced_.insert(made);
  std::vector<const ir::Node*> views;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    views.push_back(Sink(target, *node.operands[i], made->operands[i], map, bijection));
  }
  return target.Make(made->op, made->dtype, map.shape, views, made->attrs);
}

std::unique_ptr<ir::Graph> Sinker::Run() {
  const std::unique_ptr<ir::Graph> result =
      RewriteGraph(graph_,
                   [&](ir::Graph& target, const ir::Node& node,
                       absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                     if (node.op != Op::kView || !IsInjection(graph_, node)) return nullptr;
                     const bool bijection = IsBijection(graph_, node);
                     if (layout_sensitive_[node.id] && !bijection) return nullptr;
                     return Sink(target, *node.operands[0], operands[0], MapOf(node), bijection);
                   });
  // Without this a replaced node that may raise flags would stay, and be computed twice.
  return KeepReachable(*result, [&](const ir::Node& node) {
    return ir::MayRaise(node) && !replaced_.contains(&node);
  });
}

}  // namespace

std::unique_ptr<ir::Graph> SinkViews(const ir::Graph& graph) { return Sinker(graph).Run(); }

}  // namespace dynacc::passes
