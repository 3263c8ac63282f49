// Horizontal fusion: independent elementwise groups of one shape that read the same array become
// one kernel, which reads it once.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
namespace {

bool SharesOperand(const Group& a, const Group& b) {
  const std::vector<const ir::Node*> of_b = ExternalOperands(b);
  for (const ir::Node* operand : ExternalOperands(a)) {
    if (BaseOf(operand)->rank() == 0 || BaseOf(operand)->op == Op::kFull) continue;
    if (std::find(of_b.begin(), of_b.end(), operand) != of_b.end()) return true;
  }
  return false;
}

bool CanFuse(const FusionState& state, int a, int b) {
  const Group& first = state.group(a);
  const Group& second = state.group(b);
  return second.kind == GroupKind::kElementwise && first.root()->shape == second.root()->shape &&
         SharesOperand(first, second) && !state.Reaches(a, b) && !state.Reaches(b, a) &&
         state.WhyApart(a, b).empty();
}

}  // namespace

void FuseSiblings(FusionState& state) {
  for (int a = 0; a < state.num_groups(); ++a) {
    if (!state.alive(a) || state.group(a).kind != GroupKind::kElementwise) continue;
    for (int b = a + 1; b < state.num_groups(); ++b) {
      if (!state.alive(b) || !CanFuse(state, a, b)) continue;
      state.Note(absl::StrCat("fused ", NodeName(state.group(b).root()), " beside ",
                              NodeName(state.group(a).root())));
      state.Merge(b, a);
    }
  }
}

}  // namespace dynacc::schedule
