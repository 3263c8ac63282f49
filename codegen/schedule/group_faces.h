// GroupFaces: a FusionState's groups as extensions see them
// (codegen/extensions/dynacc/extension.h).
#pragma once

#include <memory>
#include <vector>

#include "codegen/extensions/node_faces.h"
#include "codegen/schedule/fusion.h"

namespace dynacc {

// `state` must outlive it; what it merges is seen. Not thread-safe.
class GroupFaces {
 public:
  explicit GroupFaces(const FusionState& state);
  ~GroupFaces();
  GroupFaces(const GroupFaces&) = delete;
  GroupFaces& operator=(const GroupFaces&) = delete;

  // Valid for as long as this lives.
  const extension::Group& Of(int group);

 private:
  class Face;

  const FusionState& state_;
  NodeFaces nodes_;
  std::vector<std::unique_ptr<Face>> by_group_;  // those that were asked for
};

}  // namespace dynacc
