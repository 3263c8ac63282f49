// GroupDescriptors: a FusionState's groups as extensions see them
// (codegen/extensions/dynacc/extension.h).
#pragma once

#include <memory>
#include <vector>

#include "codegen/extensions/node_descriptors.h"
#include "codegen/schedule/fusion_state.h"

namespace dynacc::schedule {

// `state` must outlive it; what it merges is seen. Not thread-safe.
class GroupDescriptors {
 public:
  explicit GroupDescriptors(const FusionState& state);
  ~GroupDescriptors();
  GroupDescriptors(const GroupDescriptors&) = delete;
  GroupDescriptors& operator=(const GroupDescriptors&) = delete;

  // Valid for as long as this lives.
  const extension::Group& Of(int group);

 private:
  class Descriptor;

  const FusionState& state_;
  extensions::NodeDescriptors nodes_;
  std::vector<std::unique_ptr<Descriptor>> by_group_;  // those that were asked for
};

}  // namespace dynacc::schedule
