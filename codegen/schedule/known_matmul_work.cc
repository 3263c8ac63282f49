#include "codegen/schedule/known_matmul_work.h"

#include <algorithm>
#include <vector>

namespace dynacc {

namespace {

std::optional<double> KnownMultiplications(const Graph& graph, const Node* product) {
  const Node* const left = product->operands[0];
  std::vector<ScalarId> sizes(product->shape.begin(), product->shape.end());
  sizes.push_back(left->shape[left->rank() - 1]);
  double work = 1;
  for (const ScalarId id : sizes) {
    int64_t size;
    if (!graph.scalars().IsIntConst(id, &size)) return std::nullopt;
    work *= static_cast<double>(size);
  }
  return work;
}

bool IsOneRow(const Graph& graph, const Node* product) {
  const auto is_one = [&](ScalarId id) {
    int64_t size;
    return graph.scalars().IsIntConst(id, &size) && size == 1;
  };
  return std::all_of(product->shape.begin(), product->shape.end() - 1, is_one);
}

}  // namespace

KnownMatmulWork KnownWork(const Graph& graph, const Node* product) {
  return {KnownMultiplications(graph, product), IsOneRow(graph, product)};
}

}  // namespace dynacc
