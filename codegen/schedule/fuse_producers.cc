// Vertical fusion: an elementwise node joins the kernel of the node that uses its value, if both
// have the same shape. A value that is broadcast to a larger shape is not recomputed there: the
// View between the two keeps it a group of its own.
#include "absl/strings/str_cat.h"
#include "codegen/schedule/one_kernel.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {

void FuseProducers(FusionState& state) {
  for (const ir::Node* node : state.graph().nodes()) {
    if (state.GroupOf(node) < 0 || !IsKernelNode(node)) continue;
    for (const ir::Node* operand : node->operands) {
      if (state.GroupOf(operand) < 0 || !IsKernelNode(operand)) continue;
      const int producer = state.GroupOf(operand);
      const int consumer = state.GroupOf(node);
      if (producer == consumer) continue;
      const std::string reason = WhyNotInto(state, producer, consumer);
      if (reason.empty()) state.Merge(producer, consumer);
      state.Note(reason.empty()
                     ? absl::StrCat("fused ", NodeName(operand), " into ", NodeName(node))
                     : absl::StrCat("not fused ", NodeName(operand), " into ", NodeName(node), ": ",
                                    reason));
    }
  }
}

}  // namespace dynacc::schedule
