// Products with vectors become products of matrices: a vector is a matrix of one row or column,
// whose axis the result does not have. Kernels and libraries know matrices alone. NumPy computes
// such products as those of matrices, too.
#include "absl/algorithm/container.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

bool HasVector(const ir::Node& node) {
  return node.op == Op::kMatmul && absl::c_any_of(node.operands, [](const ir::Node* operand) {
           return operand->rank() == 1;
         });
}

const ir::Node* AsMatrices(ir::Graph& graph, const ir::Node& node,
                           absl::Span<const ir::Node* const> operands) {
  if (!HasVector(node)) return nullptr;
  ScalarProgram& scalars = graph.scalars();
  const bool is_row = operands[0]->rank() == 1;
  const bool is_column = operands[1]->rank() == 1;
  const ir::Node* const a = is_row ? InsertAxis(graph, operands[0], 0) : operands[0];
  const ir::Node* const b = is_column ? InsertAxis(graph, operands[1], 1) : operands[1];
  ir::ShapeVector shape(node.shape.begin(), node.shape.end());
  if (is_column) shape.push_back(scalars.Int(1));
  if (is_row) shape.insert(shape.end() - 1, scalars.Int(1));
  const ir::Node* const product =
      graph.Make(Op::kMatmul, node.dtype, shape, {a, b}, {.ints = node.attrs.ints});
  // Back to the axes that the result has.
  const auto rank = static_cast<int64_t>(shape.size());
  boost::container::small_vector<int64_t, 8> axis;
  for (int64_t d = 0; d < rank; ++d) {
    if ((d == rank - 1 && is_column) || (d == rank - 2 && is_row)) continue;
    axis.push_back(d);
  }
  const ir::ShapeVector start(shape.size(), scalars.Int(0));
  const ir::ShapeVector step(axis.size(), scalars.Int(1));
  return graph.View(product, node.shape, axis, start, step);
}

}  // namespace

std::unique_ptr<ir::Graph> SpellOutVectors(const ir::Graph& graph) {
  if (absl::c_none_of(graph.nodes(), [](const ir::Node* node) { return HasVector(*node); })) {
    return nullptr;
  }
  return RewriteGraph(graph, AsMatrices);
}

}  // namespace dynacc::passes
