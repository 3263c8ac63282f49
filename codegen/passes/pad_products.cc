// Products of matrices whose rows end in the middle of a memory transaction become products of
// wider ones, with zeros in the place of what is missing, and what was asked for is a part:
//
//   x @ y  ->  (x 0 @ y 0)[:, :n]
//              (      0 0)
//
// Libraries for devices then take their fast kernels, which want rows of whole 16 bytes (NVIDIA's
// guide to matrix products asks for that of tensor cores). A sum of one more zero may end in
// another bit, the sign of a zero at least, hence under fast_math. Only for targets that say that
// their products have good sizes (TargetTraits::has_good_sizes): on a CPU the copies cost more than
// the library gains.
#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

// Bytes that a row is a multiple of.
constexpr int64_t kGoodBytes = 16;
// The copies read and write each operand once. With fewer rows, columns or terms than this, that is
// no small part of the product.
constexpr int64_t kSmallest = 64;

struct Sizes {
  int64_t rows, terms, columns;
};

// Nothing if they are not known, or the operands have several axes before these two.
std::optional<Sizes> SizesOf(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != Op::kMatmul || ir::MakesCall(node) || !IsInexact(node.dtype)) return std::nullopt;
  const ir::Node& left = *node.operands[0];
  const ir::Node& right = *node.operands[1];
  Sizes sizes;
  const bool are_known = left.rank() == 2 && right.rank() == 2 &&
                         graph.scalars().IsIntConst(left.shape[0], &sizes.rows) &&
                         graph.scalars().IsIntConst(left.shape[1], &sizes.terms) &&
                         graph.scalars().IsIntConst(right.shape[1], &sizes.columns);
  return are_known ? std::optional(sizes) : std::nullopt;
}

int64_t Padded(int64_t size, DType dtype) {
  const int64_t multiple = std::max<int64_t>(kGoodBytes / ItemSize(dtype), 1);
  return (size + multiple - 1) / multiple * multiple;
}

const ir::Node* WithZeros(ir::Graph& graph, const ir::Node* matrix, int64_t rows, int64_t columns) {
  ScalarProgram& scalars = graph.scalars();
  const ScalarId shape[] = {scalars.Int(rows), scalars.Int(columns)};
  if (shape[0] == matrix->shape[0] && shape[1] == matrix->shape[1]) return matrix;
  const int64_t axes[] = {0, 1};
  const ScalarId starts[] = {scalars.Int(0), scalars.Int(0)};
  const ScalarId steps[] = {scalars.Int(1), scalars.Int(1)};
  const ir::Node* const zeros = graph.Full(matrix->dtype, scalars.Float(0.0), shape);
  return graph.Store(zeros, matrix, axes, starts, steps);
}

const ir::Node* Rewritten(ir::Graph& graph, const ir::Node& node,
                          absl::Span<const ir::Node* const> operands, const Sizes& sizes) {
  const int64_t terms = Padded(sizes.terms, node.dtype);
  const int64_t columns = Padded(sizes.columns, node.dtype);
  ScalarProgram& scalars = graph.scalars();
  const ScalarId shape[] = {scalars.Int(sizes.rows), scalars.Int(columns)};
  const ir::Node* const wide = graph.Make(Op::kMatmul, node.dtype, shape,
                                          {WithZeros(graph, operands[0], sizes.rows, terms),
                                           WithZeros(graph, operands[1], terms, columns)},
                                          {.ints = node.attrs.ints});
  const int64_t axes[] = {0, 1};
  const ScalarId starts[] = {scalars.Int(0), scalars.Int(0)};
  const ScalarId steps[] = {scalars.Int(1), scalars.Int(1)};
  return MakeView(graph, wide, {node.shape, axes, starts, steps});
}

}  // namespace

std::unique_ptr<ir::Graph> PadProducts(const ir::Graph& graph) {
  const auto is_one = [&](const ir::Node& node) {
    const std::optional<Sizes> sizes = SizesOf(graph, node);
    return sizes && std::min({sizes->rows, sizes->terms, sizes->columns}) >= kSmallest &&
           (Padded(sizes->terms, node.dtype) != sizes->terms ||
            Padded(sizes->columns, node.dtype) != sizes->columns);
  };
  if (absl::c_none_of(graph.nodes(), [&](const ir::Node* node) { return is_one(*node); }))
    return nullptr;
  return RewriteGraph(graph,
                      [&](ir::Graph& target, const ir::Node& node,
                          absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                        if (!is_one(node)) return nullptr;
                        return Rewritten(target, node, operands, *SizesOf(graph, node));
                      });
}

}  // namespace dynacc::passes
