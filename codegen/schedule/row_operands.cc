#include "codegen/schedule/row_operands.h"

#include "absl/algorithm/container.h"

namespace dynacc {
namespace {

bool IsSeenAsItIs(const Graph& graph, const Node& view, int axis) {
  const Node& operand = *view.operands[0];
  if (axis >= operand.rank() || view.attrs.ints[axis] != axis) return false;
  const ScalarId start = view.attrs.scalars[axis];
  const ScalarId step = view.attrs.scalars[operand.rank() + axis];
  int64_t from, by;
  return view.shape[axis] == operand.shape[axis] && graph.scalars().IsIntConst(start, &from) &&
         from == 0 && graph.scalars().IsIntConst(step, &by) && by == 1;
}

}  // namespace

bool ReadsRolled(const Node* operand) {
  for (; IsOnlySeenThrough(operand); operand = operand->operands[0]) {
    if (operand->op == Op::kRoll) return true;
  }
  return false;
}

std::vector<const Node*> ArrayOperands(const Group& group) {
  std::vector<const Node*> operands = ExternalOperands(group);
  if (group.kind != GroupKind::kReduction) return operands;
  const Node* const reduced = group.root()->operands[0];
  if (!absl::c_linear_search(group.nodes, reduced)) operands.push_back(reduced);
  return operands;
}

int AxesSeenAsTheyAre(const Graph& graph, const Node* operand) {
  int axes = operand->rank();
  for (; operand->op == Op::kView; operand = operand->operands[0]) {
    int same = 0;
    while (same < axes && IsSeenAsItIs(graph, *operand, same)) ++same;
    axes = same;
  }
  return axes;
}

}  // namespace dynacc
