#include "codegen/schedule/product_work.h"

#include <vector>

namespace dynacc {

std::optional<double> KnownWork(const Graph& graph, const Node* product) {
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

}  // namespace dynacc
