#include "codegen/ir/input_dependence.h"

#include <algorithm>

namespace dynacc::ir {

std::vector<bool> DependOnInputs(const Graph& graph) {
  std::vector<bool> depends;
  depends.reserve(graph.nodes().size());
  for (const Node* node : graph.nodes()) {
    const bool by_operand = std::any_of(node->operands.begin(), node->operands.end(),
                                        [&](const Node* operand) { return depends[operand->id]; });
    depends.push_back(node->op == Op::kInput || by_operand);
  }
  return depends;
}

}  // namespace dynacc::ir
