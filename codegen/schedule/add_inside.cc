// The kernel that computes what a sum adds up does the first part of it, too, a vector of running
// sums, instead of storing the terms for another pass (runtime/cpu/loops/folded_sum.h). Whether it
// does so in a run depends on how the terms lie there (runtime/executor/folded_rows.h).
#include "absl/strings/str_cat.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
namespace {

// Sums whose terms a compiled kernel has in vectors, and that folded_sum.h can finish.
bool CanBeFolded(const ir::Node* sum) {
  const DType dtype = sum->dtype;
  return sum->op == Op::kReduceSum &&
         (dtype == DType::kFloat32 || dtype == DType::kFloat64 || IsInteger64(dtype));
}

}  // namespace

void AddInside(FusionState& state) {
  for (int g = 0; g < state.num_groups(); ++g) {
    if (!state.alive(g) || state.group(g).kind != GroupKind::kReduction) continue;
    const Group& group = state.group(g);
    if (group.nodes.size() < 2 || !CanBeFolded(group.root())) continue;
    state.AddInside(g);
    state.Note(absl::StrCat(NodeName(group.root()), " is added up where its terms are computed"));
  }
}

}  // namespace dynacc::schedule
