// EditableGraph: a graph that is built and changed node by node, and made a Graph when it is whole.
//
// WHY NOT GRAPH ITSELF. A Graph's nodes are immutable, hash-consed and in topological order, and
// passes, schedule and executor count on all three. Under these rules a change of one node makes
// every node that follows from it anew. A user's pass wants the opposite: to insert, replace and
// erase one node at a time, each in constant time. So an EditableGraph has the same nodes, with the
// same ops, attributes, types and scalar program (an EditableNode is a Node, which everything that
// reads Nodes can read), but its nodes are a linked list, may be changed, and know their users.
// Build gives the Graph, verified.
//
// Types follow from operands by node_rules.h when a node is made or gets another operand. That a
// node comes after its operands, bounds, and everything else that the verifier knows are checked by
// Build; between two edits a graph may be wrong. Equal nodes become one only in Build.
//
// Library calls have numbers that mean something in the process that registered them, and for
// operands of the dtypes and ranks that they were traced with. So a LibraryCall keeps these through
// every edit, and a graph whose calls come from a text is marked (has_foreign_calls): it can be
// read and changed, but not be run. An op that says itself what it computes (OPS WITH A CALL of
// graph.h) does without its call instead: it loses it when its operands or attributes become
// others, and when a graph with foreign calls is built to be run.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "codegen/ir/node_rules.h"

namespace dynacc::ir {

class EditableGraph;
struct EditableNode;

// One operand's place: a link in the list of uses of its value.
struct NodeUse {
  EditableNode* value = nullptr;
  EditableNode* user = nullptr;
  NodeUse* next = nullptr;
  NodeUse** link = nullptr;  // what points to this one
};

// `id` is the node's position when the graph was last numbered (EditableGraph::Number), `operands`
// and `attrs` are views of what the node owns.
struct EditableNode : Node {
  EditableNode* next = nullptr;
  EditableNode* previous = nullptr;
  NodeUse* uses = nullptr;  // the last made first
  bool erased = false;
  uint8_t reported = kAllFpFlags;  // Graph::ReportedBy
  void* handle = nullptr;          // of a holder outside, as a Python object

  EditableNode* operand(size_t i) const { return uses_of[i].value; }

  std::unique_ptr<NodeUse[]> uses_of;  // one for each operand
  std::vector<const Node*> operand_storage;
  std::vector<int64_t> int_storage;
  ShapeVector shape_storage;
  ShapeVector scalar_storage;
  std::vector<const Graph*> subgraph_storage;
  std::vector<std::shared_ptr<const Graph>> kept_subgraphs;
};

class EditableGraph {
 public:
  struct Output {
    EditableNode* node;
    EditableNode* target;  // the input that it is written into, or null
  };

  EditableGraph() = default;
  explicit EditableGraph(const Graph& graph);
  EditableGraph(const EditableGraph&) = delete;
  EditableGraph& operator=(const EditableGraph&) = delete;

  ScalarProgram& scalars() { return scalars_; }
  const ScalarProgram& scalars() const { return scalars_; }

  // --- Reading ----------------------------------------------------------------------------------
  EditableNode* first() const { return first_; }
  size_t size() const { return size_; }
  const std::vector<EditableNode*>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  const std::vector<ScalarId>& conditions() const { return conditions_; }
  // Nodes with `node` as an operand, each once, in the order in which they became users.
  std::vector<EditableNode*> UsersOf(const EditableNode& node) const;
  bool IsOutput(const EditableNode& node) const;
  bool has_foreign_calls() const { return has_foreign_calls_; }
  // Marks a graph that was parsed, if it has calls.
  void MarkForeignCalls();
  // Gives each node its position as id, if something has changed.
  void Number() const;

  // --- Changing ---------------------------------------------------------------------------------
  // Nodes are made before this one; null: at the end.
  void SetInsertionPoint(EditableNode* before) { insert_before_ = before; }
  EditableNode* insertion_point() const { return insert_before_; }
  // Given to nodes made from now on. `file` is kept.
  void SetLocation(absl::string_view file, int line);

  // The next input.
  EditableNode* AddInput(DType dtype, absl::Span<const ScalarId> shape);
  // `node` under a shape that it broadcasts to as in NumPy: a View of it, or itself.
  // INVALID_ARGUMENT if it does not, or if a size is not known to be 1.
  absl::StatusOr<EditableNode*> BroadcastTo(EditableNode& node, absl::Span<const ScalarId> shape);
  // INVALID_ARGUMENT as InferType, or if attributes are not the op's.
  absl::StatusOr<EditableNode*> Create(Op op, absl::Span<EditableNode* const> operands,
                                       const NodeAttrs& attrs, const GivenType& given = {});
  // `node`'s type follows; its users' do not until they are asked.
  absl::Status SetOperands(EditableNode& node, absl::Span<EditableNode* const> operands);
  absl::Status SetAttrs(EditableNode& node, const NodeAttrs& attrs, const GivenType& given = {});
  // Every use, outputs included, but those by `with` itself. INVALID_ARGUMENT if it has another
  // type. Returns the users that were changed.
  absl::StatusOr<std::vector<EditableNode*>> ReplaceAllUses(EditableNode& node, EditableNode& with);
  // FAILED_PRECONDITION if it is used. An erased input's successors move up.
  absl::Status Erase(EditableNode& node);
  // Erases what no output needs, inputs apart, and unless `keep_raising` is false those that may
  // raise a floating-point error (MayRaise), of which NumPy would warn. Returns how many.
  int EliminateDeadCode(bool keep_raising);
  // INVALID_ARGUMENT if a target is no input like its output, or that of two.
  absl::Status SetOutputs(std::vector<Output> outputs);
  void AddCondition(ScalarId condition);

  // --- From one graph to another ----------------------------------------------------------------
  // The type of an input as Infer asks for it. A size of kAnySize stays as it is.
  struct InputType {
    static constexpr int64_t kAnySize = -1;
    DType dtype;
    std::vector<int64_t> sizes;
  };
  // The same graph on inputs of these types: sizes that were inputs of the scalar program become
  // numbers, dtypes and shapes of all nodes follow. A constant (of Scalar or Full, seen through
  // views) takes the dtype of what it meets, as Python's numbers do. INVALID_ARGUMENT naming the
  // node for which no type follows.
  absl::StatusOr<std::unique_ptr<EditableGraph>> Infer(absl::Span<const InputType> inputs) const;

  // INVALID_ARGUMENT naming the first node that breaks a rule, as printed, and the rule; and, if
  // the graph is `to_run`, one that is a foreign call.
  absl::StatusOr<std::unique_ptr<Graph>> Build(bool to_run = false) const;

 private:
  friend class NodeCopier;

  EditableNode& NewNode(Op op, const NodeType& type, absl::Span<EditableNode* const> operands,
                        const NodeAttrs& attrs);
  void Link(EditableNode& node, EditableNode* before);
  void SetUse(NodeUse& use, EditableNode* value);
  void FixAttrs(EditableNode& node, const NodeAttrs& attrs);
  void FixType(EditableNode& node, const NodeType& type);
  void TakeOperands(EditableNode& node, absl::Span<EditableNode* const> operands);
  absl::Status CheckOrder() const;

  ScalarProgram scalars_;
  std::deque<EditableNode> storage_;  // erased ones, too: handles may look at them
  std::deque<std::string> files_;
  EditableNode* first_ = nullptr;
  EditableNode* last_ = nullptr;
  EditableNode* insert_before_ = nullptr;
  size_t size_ = 0;
  std::vector<EditableNode*> inputs_;
  std::vector<Output> outputs_;
  std::vector<ScalarId> conditions_;
  bool has_foreign_calls_ = false;
  SourceLocation location_;
  mutable bool numbered_ = true;
};

// Makes nodes of one graph in another. Their scalars become the other's: a size that is an input of
// the scalar program is what it was bound to, or else a new input there, the same for all nodes.
class NodeCopier {
 public:
  // Both must outlive it.
  NodeCopier(const EditableGraph& from, EditableGraph& to) : from_(from), to_(to) {}

  // Input `input` is `node` of the other graph: sizes are bound. INVALID_ARGUMENT if it has another
  // type, or sizes that were the same differ.
  absl::Status Bind(const EditableNode& input, const EditableNode& node);
  // An input like that one of the other graph.
  EditableNode* CopyInput(const EditableNode& input);
  // A node like `node`, made at the other's insertion point, on other operands; the type follows
  // from them. INVALID_ARGUMENT as Create.
  absl::StatusOr<EditableNode*> Copy(const EditableNode& node,
                                     absl::Span<EditableNode* const> operands);
  // All nodes but inputs that `map` has, which are bound, in their order; `map` has them then.
  absl::Status CopyAll(absl::flat_hash_map<const EditableNode*, EditableNode*>& map);
  // Whether the conditions hold in the other graph for all that is known there.
  bool KnowsConditions();
  // Has the other graph require them.
  void CopyConditions();
  // The other graph's scalars for those.
  ShapeVector Mapped(absl::Span<const ScalarId> ids);

 private:
  const EditableGraph& from_;
  EditableGraph& to_;
  absl::flat_hash_map<ScalarId, ScalarId> bound_;
  std::vector<ScalarId> scalars_;  // of `to_`, by the ids in `from_`
};

}  // namespace dynacc::ir
