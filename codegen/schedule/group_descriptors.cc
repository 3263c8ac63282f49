#include "codegen/schedule/group_descriptors.h"

namespace dynacc::schedule {

class GroupDescriptors::Descriptor : public extension::Group {
 public:
  Descriptor(GroupDescriptors& all, int group) : all_(all), group_(group) {}

  const char* kind() const override { return GroupKindName(group().kind); }
  int num_nodes() const override { return static_cast<int>(group().nodes.size()); }
  const extension::Node& node(int index) const override {
    return all_.nodes_.Of(group().nodes[index]);
  }

 private:
  const dynacc::schedule::Group& group() const { return all_.state_.group(group_); }

  GroupDescriptors& all_;
  const int group_;
};

GroupDescriptors::GroupDescriptors(const FusionState& state)
    : state_(state), nodes_(state.graph()), by_group_(state.num_groups()) {}
GroupDescriptors::~GroupDescriptors() = default;

const extension::Group& GroupDescriptors::Of(int group) {
  std::unique_ptr<Descriptor>& descriptor = by_group_[group];
  if (descriptor == nullptr) descriptor = std::make_unique<Descriptor>(*this, group);
  return *descriptor;
}

}  // namespace dynacc::schedule
