#include "codegen/schedule/one_kernel.h"

namespace dynacc::schedule {

std::string WhyNotInto(const FusionState& state, int producer, int consumer) {
  if (state.group(producer).kind != GroupKind::kElementwise) return "it is part of a product";
  const GroupKind kind = state.group(consumer).kind;
  if (kind == GroupKind::kReduction) {
    if (state.IsUsedOutside(producer, consumer)) return "its values are used elsewhere too";
    // Kernels read through Rolls piece by piece; a reduction adds in the order of the whole.
    if (state.ReadsRoll(producer)) return "it reads a rolled array";
  } else {
    if (kind != GroupKind::kElementwise) return "that is part of a product";
    if (state.ReadsThroughView(producer, consumer)) return "also read through a view";
  }
  if (state.HasPathAround(producer, consumer)) return "another step must run between them";
  return state.WhyApart(producer, consumer);
}

}  // namespace dynacc::schedule
