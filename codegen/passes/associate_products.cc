// Chains of matrix products are multiplied in the order that takes the fewest operations:
//
//   (A @ B) @ v  ->  A @ (B @ v)
//
// The best order is found by dynamic programming over the sizes (Godbole, "On Efficient Computation
// of Matrix Chain Products", 1973). Only of matrices whose sizes are constants, and whose partial
// products nothing else reads. Another order rounds in another way, hence under fast_math alone.
#include <algorithm>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

// So long chains are left alone: the programming takes cubic time.
constexpr size_t kLongestChain = 64;

bool IsProductOfMatrices(const ir::Node& node) {
  return node.op == Op::kMatmul && node.rank() == 2 && node.operands[0]->rank() == 2 &&
         node.operands[1]->rank() == 2 && IsInexact(node.dtype) && !ir::MakesCall(node);
}

class Associator {
 public:
  explicit Associator(const ir::Graph& graph) : graph_(graph), uses_(CountUses(graph)) {
    for (const ir::Node* node : graph.nodes()) {
      for (const ir::Node* operand : node->operands) {
        if (IsProductOfMatrices(*node) && IsInner(*operand)) inner_.insert(operand);
      }
    }
  }

  std::unique_ptr<ir::Graph> Run() {
    if (inner_.empty()) return nullptr;
    auto result =
        RewriteGraph(graph_,
                     [this](ir::Graph& graph, const ir::Node& node,
                            absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                       if (!IsProductOfMatrices(node) || inner_.contains(&node)) return nullptr;
                       return Associated(graph, node, operands);
                     });
    if (replaced_.empty()) return nullptr;
    return FilterGraph(*result,
                       [this](const ir::Node& node) { return !replaced_.contains(&node); });
  }

 private:
  // Whether the product is read by nothing but one other.
  bool IsInner(const ir::Node& node) const {
    return IsProductOfMatrices(node) && uses_[node.id] == 1;
  }

  // The matrices of the chain that ends in `node`, of which `made` is the new graph's form, and the
  // products in between.
  void Flatten(const ir::Node& node, const ir::Node& made) {
    for (size_t i = 0; i < 2; ++i) {
      const ir::Node* const operand = made.operands[i];
      if (inner_.contains(node.operands[i]) && IsProductOfMatrices(*operand)) {
        products_.push_back(operand);
        Flatten(*node.operands[i], *operand);
      } else {
        matrices_.push_back(operand);
      }
    }
  }

  // The sizes of the chain: matrix i has sizes_[i] rows and sizes_[i + 1] columns. False if one is
  // no constant.
  bool ReadSizes(const ScalarProgram& scalars) {
    sizes_.assign(matrices_.size() + 1, 0);
    for (size_t i = 0; i < matrices_.size(); ++i) {
      if (!scalars.IsIntConst(matrices_[i]->shape[0], &sizes_[i])) return false;
      if (!scalars.IsIntConst(matrices_[i]->shape[1], &sizes_[i + 1])) return false;
    }
    return true;
  }

  double CostOf(size_t rows, size_t inner, size_t columns) const {
    return static_cast<double>(sizes_[rows]) * static_cast<double>(sizes_[inner]) *
           static_cast<double>(sizes_[columns]);
  }

  // Where each part of the chain is best divided: split_[first][last].
  double FindSplits() {
    const size_t count = matrices_.size();
    std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0.0));
    split_.assign(count, std::vector<size_t>(count, 0));
    for (size_t length = 2; length <= count; ++length) {
      for (size_t first = 0; first + length <= count; ++first) {
        const size_t last = first + length - 1;
        cost[first][last] = std::numeric_limits<double>::infinity();
        for (size_t split = first; split < last; ++split) {
          const double total =
              cost[first][split] + cost[split + 1][last] + CostOf(first, split + 1, last + 1);
          if (total >= cost[first][last]) continue;
          cost[first][last] = total;
          split_[first][last] = split;
        }
      }
    }
    return cost[0][count - 1];
  }

  double CostAsItIs(const ScalarProgram& scalars, const ir::Node& made) const {
    int64_t rows, inner, columns;
    scalars.IsIntConst(made.operands[0]->shape[0], &rows);
    scalars.IsIntConst(made.operands[0]->shape[1], &inner);
    scalars.IsIntConst(made.operands[1]->shape[1], &columns);
    return static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(columns);
  }

  const ir::Node* Build(ir::Graph& graph, const ir::Node& root, size_t first, size_t last) const {
    if (first == last) return matrices_[first];
    const size_t split = split_[first][last];
    const ir::Node* const a = Build(graph, root, first, split);
    const ir::Node* const b = Build(graph, root, split + 1, last);
    const ScalarId shape[] = {a->shape[0], b->shape[1]};
    return graph.Make(Op::kMatmul, root.dtype, shape, {a, b}, {.ints = root.attrs.ints});
  }

  const ir::Node* Associated(ir::Graph& graph, const ir::Node& node,
                             absl::Span<const ir::Node* const> operands) {
    matrices_.clear();
    products_.clear();
    const ir::Node* const made = graph.Make(node.op, node.dtype, node.shape, operands, node.attrs);
    Flatten(node, *made);
    const ScalarProgram& scalars = graph.scalars();
    if (products_.empty() || matrices_.size() > kLongestChain || !ReadSizes(scalars)) return made;
    double present = CostAsItIs(scalars, *made);
    for (const ir::Node* product : products_) present += CostAsItIs(scalars, *product);
    if (FindSplits() >= present) return made;
    replaced_.insert(made);
    replaced_.insert(products_.begin(), products_.end());
    const ir::Node* const built = Build(graph, node, 0, matrices_.size() - 1);
    Keep(built);
    return built;
  }

  // What was built again is not dropped.
  void Keep(const ir::Node* node) {
    if (node->op != Op::kMatmul || !replaced_.erase(node)) return;
    for (const ir::Node* operand : node->operands) Keep(operand);
  }

  const ir::Graph& graph_;
  const std::vector<int> uses_;
  absl::flat_hash_set<const ir::Node*> inner_;     // of the old graph
  absl::flat_hash_set<const ir::Node*> replaced_;  // of the new one
  // Of the chain at hand.
  std::vector<const ir::Node*> matrices_;
  std::vector<const ir::Node*> products_;
  std::vector<int64_t> sizes_;
  std::vector<std::vector<size_t>> split_;
};

}  // namespace

std::unique_ptr<ir::Graph> AssociateProducts(const ir::Graph& graph) {
  return Associator(graph).Run();
}

}  // namespace dynacc::passes
