// How groups see what they read, row by row: for row_groups.h and row_kernels.h.
#pragma once

#include <vector>

#include "codegen/schedule/schedule.h"

namespace dynacc::schedule {

// By node id: the group that stores its value; -1: none does. Others may compute it again for
// themselves.
std::vector<int> StoringGroups(const ir::Graph& graph, const std::vector<Group>& groups);

// Whether `operand` shows elements of a Roll.
bool ReadsRolled(const ir::Node* operand);

// What the group reads from outside: a reduction without a kernel reads its operand.
std::vector<const ir::Node*> ArrayOperands(const Group& group);

// The axis of its base that `operand` has, whole and through all its views, as its own `axis`; -1:
// none.
int BaseAxisOf(const ir::Graph& graph, const ir::Node* operand, int axis);

// Leading axes of `operand` that are, through all its views, the same of its base.
int AxesSeenAsTheyAre(const ir::Graph& graph, const ir::Node* operand);

}  // namespace dynacc::schedule
