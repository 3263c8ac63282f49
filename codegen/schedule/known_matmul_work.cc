#include "codegen/schedule/known_matmul_work.h"

#include <algorithm>
#include <vector>

namespace dynacc::schedule {

namespace {

std::optional<double> KnownMultiplications(const ir::Graph& graph, const ir::Node* product) {
  const ir::Node* const left = product->operands[0];
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

bool IsOneRow(const ir::Graph& graph, const ir::Node* product) {
  const auto is_one = [&](ScalarId id) {
    int64_t size;
    return graph.scalars().IsIntConst(id, &size) && size == 1;
  };
  return std::all_of(product->shape.begin(), product->shape.end() - 1, is_one);
}

}  // namespace

KnownMatmulWork KnownWork(const ir::Graph& graph, const ir::Node* product) {
  return {KnownMultiplications(graph, product), IsOneRow(graph, product)};
}

}  // namespace dynacc::schedule
