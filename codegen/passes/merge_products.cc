// Products of one array with several matrices become one product with these side by side, as the
// projections of attention:
//
//   x @ a, x @ b, x @ c  ->  parts of x @ [a b c]
//
// Only where the rows are many, so that copying the matrices costs little beside the product, and
// the matrices are narrow: each product alone is then too small for what a library does best. The
// library may choose another way for a wider product, and round otherwise, hence under fast_math
// alone.
#include <numeric>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

// A matrix is written and read once more for its part of the wide one, and takes part in a product
// as often as there are rows.
constexpr int64_t kFewestRows = 64;
// Wider matrices gain nothing: measured with oneDNN and OpenBLAS on two cores.
constexpr int64_t kWidest = 64;

using Products = std::vector<const ir::Node*>;

bool IsTallAndNarrow(const ir::Graph& graph, const ir::Node& node) {
  int64_t rows = 1;
  for (int axis = 0; axis + 1 < node.rank(); ++axis) {
    int64_t size;
    if (!graph.scalars().IsIntConst(node.shape[axis], &size)) return false;
    rows *= size;
  }
  int64_t columns;
  return rows >= kFewestRows && graph.scalars().IsIntConst(node.shape.back(), &columns) &&
         columns <= kWidest;
}

bool IsCandidate(const ir::Graph& graph, const ir::Node& node) {
  return node.op == Op::kMatmul && !ir::MakesCall(node) && IsInexact(node.dtype) &&
         node.operands[0]->rank() >= 2 && node.operands[1]->rank() == 2 &&
         node.operands[0] != node.operands[1] && IsTallAndNarrow(graph, node);
}

class Merger {
 public:
  explicit Merger(const ir::Graph& graph) : graph_(graph), is_early_(graph.nodes().size()) {}

  std::unique_ptr<ir::Graph> Run() {
    FindGroups();
    if (group_of_.empty()) return nullptr;
    return RewriteGraph(
        graph_, Order(),
        [this](ir::Graph& graph, const ir::Node& node, absl::Span<const ir::Node* const> operands) {
          return Rewritten(graph, node, operands);
        });
  }

 private:
  // The products of each array. One that any of the matrices is computed of stays as it is.
  void FindGroups() {
    absl::flat_hash_map<const ir::Node*, Products> by_left;
    for (const ir::Node* node : graph_.nodes()) {
      if (IsCandidate(graph_, *node)) by_left[node->operands[0]].push_back(node);
    }
    for (auto& [left, products] : by_left) {
      if (products.size() < 2) continue;
      groups_.push_back(std::move(products));
    }
    for (const Products& group : groups_) {
      for (const ir::Node* product : group) is_early_[product->operands[1]->id] = true;
    }
    for (size_t id = graph_.nodes().size(); id-- > 0;) {
      if (!is_early_[id]) continue;
      for (const ir::Node* operand : graph_.nodes()[id]->operands) is_early_[operand->id] = true;
    }
    for (size_t i = 0; i < groups_.size(); ++i) {
      bool is_late = true;
      for (const ir::Node* product : groups_[i]) is_late = is_late && !is_early_[product->id];
      if (!is_late) continue;
      for (const ir::Node* product : groups_[i]) group_of_[product] = i;
    }
    wide_.resize(groups_.size());
  }

  // Inputs, then all that matrices are computed of, then the rest.
  std::vector<const ir::Node*> Order() const {
    std::vector<const ir::Node*> order(graph_.inputs().begin(), graph_.inputs().end());
    for (const bool early : {true, false}) {
      for (const ir::Node* node : graph_.nodes()) {
        if (node->op != Op::kInput && is_early_[node->id] == early) order.push_back(node);
      }
    }
    return order;
  }

  const ir::Node* Rewritten(ir::Graph& graph, const ir::Node& node,
                            absl::Span<const ir::Node* const> operands) {
    if (is_early_[node.id] || node.op == Op::kInput) {
      return early_[&node] = graph.Make(node.op, node.dtype, node.shape, operands, node.attrs);
    }
    const auto group = group_of_.find(&node);
    if (group == group_of_.end()) return nullptr;
    const Products& products = groups_[group->second];
    const ir::Node*& wide = wide_[group->second];
    if (wide == nullptr) wide = MakeWide(graph, products, operands[0]);
    ScalarProgram& scalars = graph.scalars();
    ScalarId start = scalars.Int(0);
    for (const ir::Node* product : products) {
      if (product == &node) break;
      start = scalars.Apply(ScalarOp::kAdd, start, product->shape.back());
    }
    return Part(graph, wide, node.shape, start);
  }

  const ir::Node* MakeWide(ir::Graph& graph, const Products& products, const ir::Node* left) {
    ScalarProgram& scalars = graph.scalars();
    ScalarId columns = scalars.Int(0);
    for (const ir::Node* product : products) {
      columns = scalars.Apply(ScalarOp::kAdd, columns, product->shape.back());
    }
    const ir::Node& first = *products[0]->operands[1];
    const ScalarId shape[] = {first.shape[0], columns};
    const ir::Node* matrix = graph.Empty(first.dtype, shape);
    ScalarId start = scalars.Int(0);
    for (const ir::Node* product : products) {
      const ir::Node* const right = early_.at(product->operands[1]);
      const ScalarId starts[] = {scalars.Int(0), start};
      const ScalarId steps[] = {scalars.Int(1), scalars.Int(1)};
      const int64_t axes[] = {0, 1};
      matrix = graph.Store(matrix, right, axes, starts, steps);
      start = scalars.Apply(ScalarOp::kAdd, start, right->shape[1]);
    }
    ir::ShapeVector of_wide(products[0]->shape.begin(), products[0]->shape.end());
    of_wide.back() = columns;
    return graph.Make(Op::kMatmul, products[0]->dtype, of_wide, {left, matrix},
                      {.ints = products[0]->attrs.ints});
  }

  // Columns of the wide product, from `start` on.
  static const ir::Node* Part(ir::Graph& graph, const ir::Node* wide,
                              absl::Span<const ScalarId> shape, ScalarId start) {
    ScalarProgram& scalars = graph.scalars();
    std::vector<int64_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    ir::ShapeVector starts(shape.size(), scalars.Int(0));
    starts.back() = start;
    const ir::ShapeVector steps(shape.size(), scalars.Int(1));
    return MakeView(graph, wide, {shape, axes, starts, steps});
  }

  const ir::Graph& graph_;
  std::vector<Products> groups_;
  absl::flat_hash_map<const ir::Node*, size_t> group_of_;
  std::vector<bool> is_early_;  // a matrix, or what one is computed of
  absl::flat_hash_map<const ir::Node*, const ir::Node*> early_;  // the new graph's
  std::vector<const ir::Node*> wide_;                            // of each group, once it is made
};

}  // namespace

std::unique_ptr<ir::Graph> MergeProducts(const ir::Graph& graph) {
  for (const ir::Node* node : graph.nodes()) {
    if (ir::DefinedBy(*node) != kNoScalar) return nullptr;  // whose order counts
  }
  return Merger(graph).Run();
}

}  // namespace dynacc::passes
