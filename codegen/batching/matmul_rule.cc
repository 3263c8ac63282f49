// The rule of Matmul (batching_rules.h).
#include <algorithm>
#include <numeric>

#include "codegen/batching/batching_rules.h"
#include "codegen/ir/matmul_attrs.h"

namespace dynacc::batching {
namespace {

// A View with axes of size 1 before the operand's axis `at`, `count` of them.
const ir::Node* WithAxes(ir::Graph& graph, const ir::Node* a, int at, int count) {
  if (count == 0) return a;
  ScalarProgram& scalars = graph.scalars();
  ir::ShapeVector shape(a->shape.begin(), a->shape.end());
  shape.insert(shape.begin() + at, static_cast<size_t>(count), scalars.Int(1));
  std::vector<int64_t> axis(static_cast<size_t>(a->rank()));
  std::iota(axis.begin(), axis.end(), 0);
  axis.insert(axis.begin() + at, static_cast<size_t>(count), -1);
  ir::ShapeVector step(static_cast<size_t>(a->rank()), scalars.Int(1));
  step.insert(step.begin() + at, static_cast<size_t>(count), scalars.Int(0));
  const ir::ShapeVector start(a->shape.size(), scalars.Int(0));
  return graph.View(a, shape, axis, start, step);
}

const ir::Node* Product(const Batch& batch, const ir::Node* a, const ir::Node* b,
                        absl::Span<const ScalarId> shape) {
  const int64_t kept = ir::kMatmulAnyOrder | ir::kMatmulLowPrecision;
  const int64_t bits = batch.node.attrs.ints.empty() ? 0 : batch.node.attrs.ints[0] & kept;
  const int64_t ints[] = {bits};
  ir::NodeAttrs attrs;
  if (bits != 0) attrs.ints = ints;
  return batch.graph.Make(Op::kMatmul, batch.node.dtype, shape, {a, b}, attrs);
}

// An operand as matrices: with an axis of size 1 for a vector's missing one, and as many batch axes
// as the result has.
const ir::Node* AsMatrices(const Batch& batch, size_t operand, int batch_axes) {
  const ir::Node* node = batch.Of(operand);
  const int front = batch.Has(operand) ? 1 : 0;
  if (node->rank() - front == 1) {
    node = WithAxes(batch.graph, node, operand == 0 ? front : front + 1, 1);
  }
  const int missing = batch_axes - (node->rank() - front - 2);
  return front == 0 ? node : WithAxes(batch.graph, node, 1, missing);
}

}  // namespace

// A batch of vectors times one matrix is a product of matrices.
Results BatchMatmul(const Batch& batch) {
  const int ranks[] = {batch.node.operands[0]->rank(), batch.node.operands[1]->rank()};
  ir::ShapeVector shape = batch.BatchedShape();
  if (ranks[0] == 1 && ranks[1] <= 2 && batch.Has(0) && !batch.Has(1)) {
    return std::vector<Batched>{{Product(batch, batch.Of(0), batch.Of(1), shape), true}};
  }
  if (ranks[1] == 1 && ranks[0] <= 2 && batch.Has(1) && !batch.Has(0)) {
    const ir::Node* const a = batch.Of(0);
    const ir::Node* const turned = ranks[0] == 2 ? batch.graph.Transpose(a, {1, 0}) : a;
    return std::vector<Batched>{{Product(batch, batch.Of(1), turned, shape), true}};
  }
  const int batch_axes = std::max({ranks[0] - 2, ranks[1] - 2, 0});
  const ir::Node* const a = AsMatrices(batch, 0, batch_axes);
  const ir::Node* const b = AsMatrices(batch, 1, batch_axes);
  ir::ShapeVector whole(shape.begin(), shape.begin() + 1 + batch_axes);
  whole.push_back(a->shape[a->shape.size() - 2]);
  whole.push_back(b->shape.back());
  const ir::Node* const product = Product(batch, a, b, whole);
  return std::vector<Batched>{{batch.graph.Reshape(product, shape), true}};
}

}  // namespace dynacc::batching
