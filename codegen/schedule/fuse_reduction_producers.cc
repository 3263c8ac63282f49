// A reduction takes in the elementwise group that computes what it reduces, if nobody else wants
// that group's values: they then pass through cache, chunk by chunk, and are never stored.
#include "absl/strings/str_cat.h"
#include "codegen/schedule/one_kernel.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
void FuseReductionProducers(FusionState& state) {
  for (int g = 0; g < state.num_groups(); ++g) {
    if (!state.alive(g) || state.group(g).kind != GroupKind::kReduction) continue;
    const ir::Node* reduction = state.group(g).root();
    const ir::Node* operand = reduction->operands[0];
    if (state.GroupOf(operand) < 0 || !IsKernelNode(operand)) continue;
    const int producer = state.GroupOf(operand);
    const std::string reason = WhyNotInto(state, producer, g);
    if (reason.empty()) state.Merge(producer, g);
    state.Note(reason.empty()
                   ? absl::StrCat("fused ", NodeName(operand), " into ", NodeName(reduction))
                   : absl::StrCat("not fused ", NodeName(operand), " into ", NodeName(reduction),
                                  ": ", reason));
  }
}

}  // namespace dynacc::schedule
