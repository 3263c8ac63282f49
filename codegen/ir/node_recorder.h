// NodeRecorder: which nodes of a graph are asked for while it lives.
//
// Equal nodes are one, so what a region of a trace computes is not just what it makes: it may find
// a node that another region has made. Recorders nest; the innermost of a thread hears of what
// that thread makes and finds.
#pragma once

#include <vector>

#include "codegen/ir/graph.h"

namespace dynacc::ir {

class NodeRecorder {
 public:
  explicit NodeRecorder(const Graph& graph);
  ~NodeRecorder();
  NodeRecorder(const NodeRecorder&) = delete;
  NodeRecorder& operator=(const NodeRecorder&) = delete;

  // In the order in which they were asked for, each as often as it was.
  const std::vector<const Node*>& nodes() const { return nodes_; }

  // To be called by Graph::Make.
  static void Record(const Graph& graph, const Node* node);

 private:
  const Graph& graph_;
  NodeRecorder* const outer_;
  std::vector<const Node*> nodes_;
};

}  // namespace dynacc::ir
