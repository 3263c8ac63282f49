#include "codegen/schedule/group_faces.h"

namespace dynacc {

class GroupFaces::Face : public extension::Group {
 public:
  Face(GroupFaces& all, int group) : all_(all), group_(group) {}

  const char* kind() const override { return GroupKindName(group().kind); }
  int num_nodes() const override { return static_cast<int>(group().nodes.size()); }
  const extension::Node& node(int index) const override {
    return all_.nodes_.Of(group().nodes[index]);
  }

 private:
  const dynacc::Group& group() const { return all_.state_.group(group_); }

  GroupFaces& all_;
  const int group_;
};

GroupFaces::GroupFaces(const FusionState& state)
    : state_(state), nodes_(state.graph()), by_group_(state.num_groups()) {}
GroupFaces::~GroupFaces() = default;

const extension::Group& GroupFaces::Of(int group) {
  std::unique_ptr<Face>& face = by_group_[group];
  if (face == nullptr) face = std::make_unique<Face>(*this, group);
  return *face;
}

}  // namespace dynacc
