// A value that is as soon computed again as read: one operation on one array, and numbers or rows
// that are small beside it. `c` in `c = x - mean` of a layer norm is read by the sum of squares and
// by the quotient. Computed again by the later group it need not be stored for it, and the first
// one may become part of the reduction.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
namespace {

constexpr Op kCheapOps[] = {Op::kAdd, Op::kSubtract, Op::kMultiply, Op::kNegative};

// Whether reading `operand` costs next to nothing: it is the same along some axis.
bool IsBroadcast(const ir::Node* operand) {
  if (operand->rank() == 0 || operand->op == Op::kFull) return true;
  for (; operand->op == Op::kView; operand = operand->operands[0]) {
    if (absl::c_linear_search(operand->attrs.ints, -1)) return true;
  }
  return operand->rank() == 0;
}

bool IsCheap(const FusionState& state, const ir::Node* node) {
  if (state.GroupOf(node) < 0 || !absl::c_linear_search(kCheapOps, node->op)) return false;
  if (!IsEmitted(node->op, node->dtype) || IsComplex(node->dtype)) return false;
  const ir::Node* array = nullptr;
  for (const ir::Node* operand : node->operands) {
    const ir::Node* const base = BaseOf(operand);
    // What the node's own group computes would have to be stored for the others.
    if (operand->op == Op::kRoll || state.GroupOf(base) == state.GroupOf(node)) return false;
    if (IsBroadcast(operand) || operand == array) continue;
    if (array != nullptr) return false;
    array = operand;
  }
  return array != nullptr;
}

bool HasRoom(const FusionState& state, const ir::Node* node, int into) {
  if (!state.WhyVetoed(state.GroupOf(node), into).empty()) return false;
  const Group& group = state.group(into);
  const auto reported = ReportedErrors(state.graph(), group);
  Group alone;
  alone.nodes = {node};
  const auto own = ReportedErrors(state.graph(), alone);
  if (reported && own && *reported != *own) return false;
  return static_cast<int>(group.nodes.size()) < kMaxGroupNodes &&
         static_cast<int>(ExternalOperands(group).size() + group.nodes.size()) < kMaxGroupOperands;
}

bool IsKernelGroup(const FusionState& state, int g) {
  const GroupKind kind = state.group(g).kind;
  return kind == GroupKind::kElementwise || kind == GroupKind::kReduction;
}

bool IsReadInside(const FusionState& state, const ir::Node* node) {
  return absl::c_any_of(state.group(state.GroupOf(node)).nodes, [node](const ir::Node* other) {
    return absl::c_linear_search(other->operands, node);
  });
}

}  // namespace

void CopyCheap(FusionState& state) {
  for (const ir::Node* node : state.graph().nodes()) {
    if (!IsCheap(state, node)) continue;
    std::vector<int> readers = state.OtherReaders(node);
    // All or none: where it is stored anyway, reading it is as good.
    const bool fits = absl::c_all_of(readers, [&](int reader) {
      return IsKernelGroup(state, reader) && HasRoom(state, node, reader);
    });
    if (!fits) continue;
    // Where its own group does not read it the first one goes on doing so, and may take it in.
    if (!readers.empty() && !IsReadInside(state, node)) readers.erase(readers.begin());
    for (const int reader : readers) {
      state.Copy(node, reader);
      state.Note(
          absl::StrCat("copied ", NodeName(node), " into ", NodeName(state.group(reader).root())));
    }
  }
}

}  // namespace dynacc::schedule
