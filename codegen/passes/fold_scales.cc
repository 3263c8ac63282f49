// What scales and shifts the columns of a matrix product is computed on the matrix and on vectors
// instead, as when a convolution, which is a product here, is followed by a batch normalisation:
//
//   (x @ w - mean) * scale + shift  ->  x @ (w * scale) + (shift - mean * scale)
//
// Only where the product has more rows than the matrix, so that there is less to scale. It rounds
// in another way, hence under fast_math alone.
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

bool IsArithmetic(Op op) {
  return op == Op::kAdd || op == Op::kSubtract || op == Op::kMultiply || op == Op::kDivide;
}

bool IsProduct(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != Op::kMatmul || ir::MakesCall(node) || !IsFloat(node.dtype) || node.rank() < 2 ||
      node.operands[0]->rank() < 2 || node.operands[1]->rank() != 2) {
    return false;
  }
  int64_t rows = 1, inner;
  for (int axis = 0; axis + 1 < node.rank(); ++axis) {
    int64_t size;
    if (!graph.scalars().IsIntConst(node.shape[axis], &size)) return false;
    rows *= size;
  }
  return graph.scalars().IsIntConst(node.operands[1]->shape[0], &inner) && rows > inner;
}

class Folder {
 public:
  explicit Folder(const ir::Graph& graph) : graph_(graph), uses_(CountUses(graph)) {
    for (const ir::Node* node : graph.nodes()) FindForm(*node);
  }

  std::unique_ptr<ir::Graph> Run() {
    if (is_inner_.empty()) return nullptr;
    auto result =
        RewriteGraph(graph_,
                     [this](ir::Graph& graph, const ir::Node& node,
                            absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                       const auto place = place_.find(&node);
                       if (place == place_.end()) return nullptr;
                       const ir::Node* const made =
                           graph.Make(node.op, node.dtype, node.shape, operands, node.attrs);
                       continued_[made] = place->second;
                       return is_inner_.contains(&node) ? made : Folded(graph, *made);
                     });
    if (replaced_.empty()) return nullptr;
    return FilterGraph(*result,
                       [this](const ir::Node& node) { return !replaced_.contains(&node); });
  }

 private:
  // Marks the operand that a node continues: the one end of a chain that is read by nothing else.
  void FindForm(const ir::Node& node) {
    if (!IsArithmetic(node.op)) return;
    for (size_t i = 0; i < (node.op == Op::kDivide || node.op == Op::kSubtract ? 1u : 2u); ++i) {
      const ir::Node& operand = *node.operands[i];
      const bool is_form = IsProduct(graph_, operand) || in_form_.contains(&operand);
      if (!is_form || uses_[operand.id] != 1 || !IsOfColumns(*node.operands[1 - i])) continue;
      is_inner_.insert(&operand);
      in_form_.insert(&node);
      place_[&node] = i;
      return;
    }
  }

  // Whether the array has one number a column: it is broadcast along all axes but the last.
  bool IsOfColumns(const ir::Node& node) const {
    if (node.op != Op::kView) return false;
    const ViewMap map = MapOf(node);
    for (size_t d = 0; d + 1 < map.axis.size(); ++d) {
      if (map.axis[d] >= 0) return false;
    }
    return true;
  }

  // The vector of those numbers.
  static const ir::Node* Columns(ir::Graph& graph, const ir::Node& node) {
    const ViewMap map = MapOf(node);
    return MakeView(graph, node.operands[0],
                    {map.shape.subspan(map.shape.size() - 1), map.axis.subspan(map.axis.size() - 1),
                     map.start, map.step.subspan(map.step.size() - 1)});
  }

  // The chain of the new graph that ends in `made`, folded; itself if nothing scales in it.
  const ir::Node* Folded(ir::Graph& graph, const ir::Node& made) {
    std::vector<const ir::Node*> chain;  // the last first
    const ir::Node* product = &made;
    bool scales = false;
    for (auto at = continued_.find(product); at != continued_.end();
         at = continued_.find(product)) {
      chain.push_back(product);
      scales |= product->op == Op::kMultiply || product->op == Op::kDivide;
      product = product->operands[at->second];
    }
    if (!scales || product->op != Op::kMatmul) return &made;
    const ir::Node *scale = nullptr, *shift = nullptr;  // vectors; null: 1 and 0
    for (auto node = chain.rbegin(); node != chain.rend(); ++node) {
      const ir::Node& other = *(*node)->operands[1 - continued_.at(*node)];
      AddTo(graph, (*node)->op, Columns(graph, other), scale, shift);
    }
    replaced_.insert(chain.begin(), chain.end());
    replaced_.insert(product);
    const ir::Node* const matrix = product->operands[1];
    const ir::Node* const scaled =
        graph.Binary(Op::kMultiply, matrix, graph.BroadcastTo(scale, matrix->shape));
    const ir::Node* const result =
        graph.Make(Op::kMatmul, made.dtype, made.shape, {product->operands[0], scaled},
                   {.ints = product->attrs.ints});
    if (shift == nullptr) return result;
    return graph.Binary(Op::kAdd, result, graph.BroadcastTo(shift, made.shape));
  }

  // What `op` with the vector makes of scale and shift.
  static void AddTo(ir::Graph& graph, Op op, const ir::Node* vector, const ir::Node*& scale,
                    const ir::Node*& shift) {
    if (op == Op::kAdd || op == Op::kSubtract) {
      if (shift != nullptr) {
        shift = graph.Binary(op, shift, vector);
      } else {
        shift = op == Op::kAdd ? vector : graph.Unary(Op::kNegative, vector);
      }
      return;
    }
    if (shift != nullptr) shift = graph.Binary(op, shift, vector);
    if (scale != nullptr) {
      scale = graph.Binary(op, scale, vector);
    } else {
      scale = op == Op::kMultiply ? vector : graph.Unary(Op::kReciprocal, vector);
    }
  }

  const ir::Graph& graph_;
  const std::vector<int> uses_;
  absl::flat_hash_set<const ir::Node*> in_form_, is_inner_;
  absl::flat_hash_map<const ir::Node*, size_t> place_;  // of the operand that the node continues
  // Of the new graph.
  absl::flat_hash_map<const ir::Node*, size_t> continued_;
  absl::flat_hash_set<const ir::Node*> replaced_;
};

}  // namespace

std::unique_ptr<ir::Graph> FoldScales(const ir::Graph& graph) { return Folder(graph).Run(); }

}  // namespace dynacc::passes
