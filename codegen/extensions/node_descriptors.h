// NodeDescriptors: a graph's nodes as extensions see them (extension.h).
#pragma once

#include <memory>
#include <vector>

#include "codegen/extensions/dynacc/extension.h"
#include "codegen/ir/graph.h"

namespace dynacc::extensions {

// `graph` must outlive it. Not thread-safe.
class NodeDescriptors {
 public:
  explicit NodeDescriptors(const ir::Graph& graph);
  ~NodeDescriptors();
  NodeDescriptors(const NodeDescriptors&) = delete;
  NodeDescriptors& operator=(const NodeDescriptors&) = delete;

  // Valid for as long as this lives.
  const extension::Node& Of(const ir::Node* node);

 private:
  class Descriptor;

  const ir::Graph& graph_;
  std::vector<std::unique_ptr<Descriptor>> by_id_;  // those that were asked for
};

}  // namespace dynacc::extensions
