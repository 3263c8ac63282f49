// NodeFaces: a graph's nodes as extensions see them (extension.h).
#pragma once

#include <memory>
#include <vector>

#include "codegen/extensions/dynacc/extension.h"
#include "codegen/graph/graph.h"

namespace dynacc {

// `graph` must outlive it. Not thread-safe.
class NodeFaces {
 public:
  explicit NodeFaces(const Graph& graph);
  ~NodeFaces();
  NodeFaces(const NodeFaces&) = delete;
  NodeFaces& operator=(const NodeFaces&) = delete;

  // Valid for as long as this lives.
  const extension::Node& Of(const Node* node);

 private:
  class Face;

  const Graph& graph_;
  std::vector<std::unique_ptr<Face>> by_id_;  // those that were asked for
};

}  // namespace dynacc
