// The rules of extensions: they choose, and what they choose is looked at as any other fusion.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/schedule/group_descriptors.h"
#include "codegen/schedule/one_kernel.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
namespace {

std::string WhyNotElementwise(const FusionState& state, int from, int into) {
  if (state.group(from).root()->shape != state.group(into).root()->shape) return "other shapes";
  const bool reads_view = state.ReadsThroughView(into, from);
  if (reads_view || state.HasPathAround(into, from)) return "that one needs the whole of this one";
  return WhyNotInto(state, from, into);
}

std::string WhyNotReduced(const FusionState& state, int from, int into) {
  const ir::Node* const operand = state.group(into).root()->operands[0];
  if (state.GroupOf(operand) != from || !IsKernelNode(operand)) return "it does not reduce that";
  return WhyNotInto(state, from, into);
}

std::string WhyNot(const FusionState& state, int from, int into) {
  const auto is_group = [&](int g) { return g >= 0 && g < state.num_groups() && state.alive(g); };
  if (from == into || !is_group(from) || !is_group(into)) return "no two groups";
  const auto has_kind = [&](int g, GroupKind kind) { return state.group(g).kind == kind; };
  if (!has_kind(from, GroupKind::kElementwise)) return "only elementwise groups are merged";
  if (has_kind(into, GroupKind::kReduction)) return WhyNotReduced(state, from, into);
  if (!has_kind(into, GroupKind::kElementwise)) return "that is no kernel";
  return WhyNotElementwise(state, from, into);
}

class FusionDescriptor : public extension::Fusion {
 public:
  FusionDescriptor(FusionState& state, const std::string& rule)
      : state_(state), rule_(rule), groups_(state) {}

  int num_groups() const override { return state_.num_groups(); }
  const extension::Group& group(int index) const override { return groups_.Of(index); }
  const char* Merge(int from, int into) override {
    reason_ = WhyNot(state_, from, into);
    if (!reason_.empty()) return reason_.c_str();
    state_.Note(absl::StrCat("fused ", NodeName(state_.group(from).root()), " into ",
                             NodeName(state_.group(into).root()), " by ", rule_));
    state_.Merge(from, into);
    return nullptr;
  }

 private:
  FusionState& state_;
  const std::string& rule_;
  mutable GroupDescriptors groups_;  // makes what is asked for
  std::string reason_;               // of the last Merge
};

}  // namespace

void RunExtensionRules(FusionState& state) {
  for (const extensions::ExtensionRule& row : state.extensions().rules) {
    FusionDescriptor descriptor(state, row.name);
    row.rule(descriptor);
  }
}

}  // namespace dynacc::schedule
