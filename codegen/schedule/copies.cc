#include "codegen/schedule/copies.h"

namespace dynacc::schedule {
namespace {

// Whether the Store is of all its result, from the beginning on, into an empty array.
bool StoresAll(const ir::Graph& graph, const ir::Node* store) {
  const ir::Node* const value = store->operands[1];
  if (store->operands[0]->op != Op::kEmpty || store->shape != value->shape) return false;
  for (int axis = 0; axis < store->rank(); ++axis) {
    int64_t start, step;
    const auto scalars = store->attrs.scalars;
    if (store->attrs.ints[axis] != axis || !graph.scalars().IsIntConst(scalars[axis], &start) ||
        !graph.scalars().IsIntConst(scalars[store->rank() + axis], &step) || start != 0 ||
        step != 1) {
      return false;
    }
  }
  return true;
}

}  // namespace

const ir::Node* WithoutCopy(const ir::Graph& graph, const ir::Node* node) {
  return node->op == Op::kStore && StoresAll(graph, node) ? node->operands[1] : node;
}

}  // namespace dynacc::schedule
