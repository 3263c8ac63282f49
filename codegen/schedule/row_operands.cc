#include "codegen/schedule/row_operands.h"

#include "absl/algorithm/container.h"

namespace dynacc::schedule {
namespace {

// The axis of its operand that the view shows, whole, as its own `axis`; -1: none.
int AxisSeen(const ir::Graph& graph, const ir::Node& view, int axis) {
  const ir::Node& operand = *view.operands[0];
  const int64_t seen = view.attrs.ints[axis];
  if (seen < 0) return -1;
  const ScalarId start = view.attrs.scalars[seen];
  const ScalarId step = view.attrs.scalars[operand.rank() + axis];
  int64_t from, by;
  const bool is_whole = view.shape[axis] == operand.shape[seen] &&
                        graph.scalars().IsIntConst(start, &from) && from == 0 &&
                        graph.scalars().IsIntConst(step, &by) && by == 1;
  return is_whole ? static_cast<int>(seen) : -1;
}

}  // namespace

std::vector<int> StoringGroups(const ir::Graph& graph, const std::vector<Group>& groups) {
  std::vector<int> storing(graph.nodes().size(), -1);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const ir::Node* node : groups[g].outputs) storing[node->id] = static_cast<int>(g);
  }
  return storing;
}

bool ReadsRolled(const ir::Node* operand) {
  for (; IsOnlySeenThrough(operand); operand = operand->operands[0]) {
    if (operand->op == Op::kRoll) return true;
  }
  return false;
}

std::vector<const ir::Node*> ArrayOperands(const Group& group) {
  std::vector<const ir::Node*> operands = ExternalOperands(group);
  if (group.kind != GroupKind::kReduction) return operands;
  const ir::Node* const reduced = group.root()->operands[0];
  if (!absl::c_linear_search(group.nodes, reduced)) operands.push_back(reduced);
  return operands;
}

int BaseAxisOf(const ir::Graph& graph, const ir::Node* operand, int axis) {
  for (; operand->op == Op::kView && axis >= 0; operand = operand->operands[0]) {
    axis = AxisSeen(graph, *operand, axis);
  }
  return axis;
}

int AxesSeenAsTheyAre(const ir::Graph& graph, const ir::Node* operand) {
  int axes = operand->rank();
  for (; operand->op == Op::kView; operand = operand->operands[0]) {
    int same = 0;
    while (same < axes && AxisSeen(graph, *operand, same) == same) ++same;
    axes = same;
  }
  return axes;
}

}  // namespace dynacc::schedule
