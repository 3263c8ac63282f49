// GraphView: an EditableGraph as extensions and hosts see it (dynacc/graph.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "codegen/extensions/dynacc/graph.h"
#include "codegen/ir/editable_graph.h"

namespace dynacc::extensions {

class GraphView : public graph::Graph {
 public:
  // `edited` must outlive it.
  explicit GraphView(ir::EditableGraph& edited);
  ~GraphView() override;
  GraphView(const GraphView&) = delete;
  GraphView& operator=(const GraphView&) = delete;

  graph::Node* first() const override;
  int num_inputs() const override;
  graph::Node* input(int index) const override;
  int num_outputs() const override;
  graph::Node* output(int index) const override;
  const char* text() const override;
  const char* Check() const override;
  graph::Node* AddInput(const char* type) override;
  graph::Node* Call(const char* op, graph::Node* const* args, int num_args,
                    const char* type) override;
  graph::Node* Number(double value, const graph::Node* like) override;
  graph::Node* BroadcastTo(graph::Node* node, const graph::Node* like) override;
  const char* error() const override { return error_.c_str(); }
  void InsertBefore(graph::Node* node) override;
  const char* SetArg(graph::Node* node, int index, graph::Node* arg) override;
  const char* ReplaceAllUses(graph::Node* node, graph::Node* with) override;
  const char* Erase(graph::Node* node) override;
  const char* SetOutputs(graph::Node* const* nodes, int num_nodes) override;
  int EliminateDeadCode() override;
  graph::Graph* Infer(const char* const* types, int num_types) override;

 private:
  class NodeView;

  graph::Node* ViewOf(ir::EditableNode* node) const;
  graph::Node* Made(const absl::StatusOr<ir::EditableNode*>& made);
  // Null if it is OK, else the message, which is kept.
  const char* Problem(const absl::Status& status) const;
  absl::StatusOr<ir::EditableNode*> Create(absl::string_view op,
                                           absl::Span<ir::EditableNode* const> args,
                                           absl::string_view type);

  ir::EditableGraph& edited_;
  mutable absl::flat_hash_map<const ir::EditableNode*, std::unique_ptr<NodeView>> views_;
  mutable std::string text_, error_;
};

// A view of a graph that it owns.
std::unique_ptr<graph::Graph> NewView(std::unique_ptr<ir::EditableGraph> graph);

}  // namespace dynacc::extensions
