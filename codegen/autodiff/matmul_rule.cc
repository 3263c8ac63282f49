// The rule of Matmul (gradient_rules.h): g @ b.T and a.T @ g, for all of NumPy's operands.
//
// A vector is a matrix of one row or column whose axis is not in the result. A product over that
// axis of size 1 is a product of elements, which fuses.
#include "boost/container/small_vector.hpp"
#include "codegen/autodiff/gradient_rules.h"
#include "codegen/autodiff/view_adjoint.h"
#include "codegen/ir/matmul_attrs.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::autodiff {
namespace {

using AxisVector = boost::container::small_vector<int64_t, 8>;
using Shape = absl::Span<const ScalarId>;

bool IsOne(ir::Graph& graph, ScalarId size) { return size == graph.scalars().Int(1); }

const ir::Node* TransposeMatrices(ir::Graph& graph, const ir::Node* a) {
  AxisVector permutation;
  for (int64_t d = 0; d < a->rank(); ++d) permutation.push_back(d);
  std::swap(permutation[a->rank() - 1], permutation[a->rank() - 2]);
  const ir::Node* const transposed = graph.Transpose(a, permutation);
  return passes::MakeView(graph, transposed->operands[0], passes::MapOf(*transposed));
}

// `a` broadcast to `shape`; sizes that are not 1 are the same, though maybe in other words.
const ir::Node* Broadcast(ir::Graph& graph, const ir::Node* a, Shape shape) {
  ScalarProgram& scalars = graph.scalars();
  const size_t added = shape.size() - a->shape.size();
  AxisVector axis;
  ir::ShapeVector step;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool repeats =
        d < added || (IsOne(graph, a->shape[d - added]) && !IsOne(graph, shape[d]));
    axis.push_back(repeats ? -1 : static_cast<int64_t>(d - added));
    step.push_back(scalars.Int(repeats ? 0 : 1));
  }
  const ir::ShapeVector start(a->shape.size(), scalars.Int(0));
  return passes::MakeView(graph, a, {shape, axis, start, step});
}

// The product of stacks of matrices, whose batch axes broadcast to `batch`.
const ir::Node* Product(const Pullback& pull, const ir::Node* a, const ir::Node* b, Shape batch) {
  ir::Graph& graph = pull.graph;
  ir::ShapeVector shape(batch.begin(), batch.end());
  shape.push_back(a->shape[a->rank() - 2]);
  shape.push_back(b->shape.back());
  if (IsOne(graph, a->shape.back())) {
    return (Value(graph, Broadcast(graph, a, shape)) * Value(graph, Broadcast(graph, b, shape)))
        .node();
  }
  const int64_t bits =
      ir::kMatmulApart | (ir::MatmulHas(&pull.node, ir::kMatmulAnyOrder) ? ir::kMatmulAnyOrder : 0);
  return graph.Make(Op::kMatmul, pull.node.dtype, shape, {a, b}, {.ints = {&bits, 1}});
}

// `a` as one matrix: all axes but the last are its rows.
const ir::Node* AsOneMatrix(ir::Graph& graph, const ir::Node* a) {
  ScalarId rows = graph.scalars().Int(1);
  for (const ScalarId size : a->shape.subspan(0, a->shape.size() - 1)) {
    rows = graph.scalars().Apply(ScalarOp::kMul, rows, size);
  }
  const ScalarId shape[] = {rows, a->shape.back()};
  return graph.Reshape(a, shape);
}

}  // namespace

absl::Status MatmulGradient(Pullback& pull) {
  ir::Graph& graph = pull.graph;
  const ir::Node& left = *pull.node.operands[0];
  const ir::Node& right = *pull.node.operands[1];
  const ir::Node* const a = left.rank() == 1 ? passes::InsertAxis(graph, &left, 0) : &left;
  const ir::Node* const b = right.rank() == 1 ? passes::InsertAxis(graph, &right, 1) : &right;
  const ir::Node* g = pull.cotangent;
  if (right.rank() == 1) g = passes::InsertAxis(graph, g, g->rank());
  if (left.rank() == 1) g = passes::InsertAxis(graph, g, g->rank() - 1);
  const Shape batch = g->shape.subspan(0, g->shape.size() - 2);
  if (pull.Needs(0)) {
    const ir::Node* const of_a = Product(pull, g, TransposeMatrices(graph, b), batch);
    pull.Give(0, graph.Reshape(SumTo(graph, of_a, a->shape), left.shape));
  }
  if (pull.Needs(1)) {
    // One matrix for the whole batch: the sum along the batch is part of one product.
    const bool is_one = b->rank() == 2 && a->rank() > 2;
    const ir::Node* const rows = is_one ? AsOneMatrix(graph, a) : a;
    const ir::Node* const of_rows = is_one ? AsOneMatrix(graph, g) : g;
    const ir::Node* const of_b =
        Product(pull, TransposeMatrices(graph, rows), of_rows, is_one ? Shape() : batch);
    pull.Give(1, graph.Reshape(SumTo(graph, of_b, b->shape), right.shape));
  }
  return absl::OkStatus();
}

}  // namespace dynacc::autodiff
