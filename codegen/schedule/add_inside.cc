// The kernel that computes what a sum adds up does the first part of it, too, a vector of running
// sums, instead of storing the terms for another pass (runtime/cpu/loops/folded_sum.h). Whether it
// does so in a run depends on how the terms lie there (runtime/executor/folded_rows.h).
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
namespace {

// Sums whose order is pairwise, and whose terms a compiled kernel has in vectors.
bool IsPairwise(const ir::Node* sum) {
  return sum->op == Op::kReduceSum &&
         (sum->dtype == DType::kFloat32 || sum->dtype == DType::kFloat64);
}

}  // namespace

void AddInside(FusionState& state) {
  for (int g = 0; g < state.num_groups(); ++g) {
    if (!state.alive(g) || state.group(g).kind != GroupKind::kReduction) continue;
    const Group& group = state.group(g);
    // A folding kernel raises the flags of the terms and of the sum together. The executor folds
    // only where both count (folded_rows.cc), so without a term that may raise one this is useless.
    if (group.nodes.size() < 2 || !IsPairwise(group.root())) continue;
    if (absl::c_none_of(group.nodes, [&](const ir::Node* node) {
          return node != group.root() && MayRaiseFlags(node);
        })) {
      continue;
    }
    state.AddInside(g);
    state.Note(absl::StrCat(NodeName(group.root()), " is added up where its terms are computed"));
  }
}

}  // namespace dynacc::schedule
