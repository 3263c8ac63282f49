#include "codegen/ir/node_recorder.h"

namespace dynacc::ir {
namespace {

thread_local NodeRecorder* innermost = nullptr;

}  // namespace

NodeRecorder::NodeRecorder(const Graph& graph) : graph_(graph), outer_(innermost) {
  innermost = this;
}
NodeRecorder::~NodeRecorder() { innermost = outer_; }

void NodeRecorder::Record(const Graph& graph, const Node* node) {
  if (innermost != nullptr && &innermost->graph_ == &graph) innermost->nodes_.push_back(node);
}

}  // namespace dynacc::ir
