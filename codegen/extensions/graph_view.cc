#include "codegen/extensions/graph_view.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/extensions/pattern.h"
#include "codegen/ir/graph_text.h"
#include "runtime/base/status_macros.h"

namespace dynacc::extensions {

class GraphView::NodeView : public graph::Node {
 public:
  NodeView(const GraphView& graph, ir::EditableNode& node) : node(node), graph_(graph) {}

  const char* op() const override { return Info(node.op).text; }
  const char* dtype() const override { return Info(node.dtype).text; }
  int rank() const override { return node.rank(); }
  int64_t size(int axis) const override {
    int64_t size;
    return graph_.edited_.scalars().IsIntConst(node.shape[axis], &size) ? size : -1;
  }
  int num_args() const override { return static_cast<int>(node.operands.size()); }
  graph::Node* arg(int index) const override { return graph_.ViewOf(node.operand(index)); }
  int num_users() const override { return static_cast<int>(graph_.edited_.UsersOf(node).size()); }
  graph::Node* user(int index) const override {
    return graph_.ViewOf(graph_.edited_.UsersOf(node)[index]);
  }
  bool is_output() const override { return graph_.edited_.IsOutput(node); }
  graph::Node* next() const override { return graph_.ViewOf(node.next); }
  const char* text() const override {
    graph_.edited_.Number();
    text_ = ir::PrintNode(graph_.edited_.scalars(), node);
    return text_.c_str();
  }
  const char* file() const override { return node.location.file; }
  int line() const override { return node.location.line; }
  bool IsNumber(double* value) const override {
    const std::optional<double> number = KnownNumber(graph_.edited_.scalars(), node);
    *value = number.value_or(*value);
    return number.has_value();
  }

  ir::EditableNode& node;

 private:
  const GraphView& graph_;
  mutable std::string text_;
};

GraphView::GraphView(ir::EditableGraph& edited) : edited_(edited) {}
GraphView::~GraphView() = default;

graph::Node* GraphView::ViewOf(ir::EditableNode* node) const {
  if (node == nullptr) return nullptr;
  std::unique_ptr<NodeView>& view = views_[node];
  if (view == nullptr) view = std::make_unique<NodeView>(*this, *node);
  return view.get();
}

namespace {

// The node behind what an extension was given.
template <typename View>
ir::EditableNode* NodeOf(graph::Node* node) {
  return node == nullptr ? nullptr : &static_cast<View*>(node)->node;
}

}  // namespace

graph::Node* GraphView::first() const { return ViewOf(edited_.first()); }
int GraphView::num_inputs() const { return static_cast<int>(edited_.inputs().size()); }
graph::Node* GraphView::input(int index) const { return ViewOf(edited_.inputs()[index]); }
int GraphView::num_outputs() const { return static_cast<int>(edited_.outputs().size()); }
graph::Node* GraphView::output(int index) const { return ViewOf(edited_.outputs()[index].node); }

const char* GraphView::text() const {
  const absl::StatusOr<std::unique_ptr<ir::Graph>> built = edited_.Build();
  text_ = built.ok() ? ir::PrintGraph(**built)
                     : absl::StrCat("no legal graph: ", built.status().message(), "\n");
  return text_.c_str();
}

const char* GraphView::Problem(const absl::Status& status) const {
  error_ = std::string(status.message());
  return status.ok() ? nullptr : error_.c_str();
}

const char* GraphView::Check() const { return Problem(edited_.Build().status()); }

graph::Node* GraphView::Made(const absl::StatusOr<ir::EditableNode*>& made) {
  Problem(made.status());
  return made.ok() ? ViewOf(*made) : nullptr;
}

namespace {

// The text of a graph with a node of that op, on arguments of those ranks. The op's attributes
// stand behind the arguments.
std::string TextOfCall(absl::string_view op, absl::Span<ir::EditableNode* const> args,
                       absl::string_view type) {
  std::string text = "graph {\n";
  std::vector<std::string> names;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::vector<std::string> ones(args[i]->shape.size(), "1");
    absl::StrAppend(&text, "%", i, ": f64[", absl::StrJoin(ones, ", "), "] = input ", i, "\n");
    names.push_back(absl::StrCat("%", i));
  }
  const size_t space = op.find(' ');
  const absl::string_view name = op.substr(0, space);
  const absl::string_view attributes = space == op.npos ? "" : op.substr(space);
  absl::StrAppend(&text, "%", args.size(), ": ", type.empty() ? "f64[]" : type, " = ", name, " ",
                  absl::StrJoin(names, ", "), attributes, "\nreturn %", args.size(), "\n}\n");
  return text;
}

// A graph with an input of that type.
absl::StatusOr<std::unique_ptr<ir::Graph>> ParseType(absl::string_view type) {
  return ir::ParseGraph(absl::StrCat("graph {\n%0: ", type, " = input 0\nreturn %0\n}\n"));
}

// What a text makes of a shape whose sizes are numbers, in another program.
ir::ShapeVector ShapeIn(ScalarProgram& scalars, const ir::Graph& from,
                        absl::Span<const ScalarId> shape) {
  ir::ShapeVector sizes;
  for (const ScalarId id : shape) {
    int64_t size = 0;
    from.scalars().IsIntConst(id, &size);
    sizes.push_back(scalars.Int(size));
  }
  return sizes;
}

}  // namespace

absl::StatusOr<ir::EditableNode*> GraphView::Create(absl::string_view op,
                                                    absl::Span<ir::EditableNode* const> args,
                                                    absl::string_view type) {
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> parsed,
                          ir::ParseGraph(TextOfCall(op, args, type)));
  const ir::Node& like = *parsed->outputs()[0];
  if (like.op == Op::kInput || like.op == Op::kLibraryCall) {
    return absl::InvalidArgumentError(absl::StrCat("'", op, "' is not made by a call"));
  }
  const ir::EditableGraph copied(*parsed);
  ir::NodeCopier copier(copied, edited_);
  const ir::ShapeVector scalars = copier.Mapped(like.attrs.scalars);
  ir::NodeAttrs attrs = like.attrs;
  attrs.scalars = scalars;
  ir::GivenType given;
  const ir::ShapeVector shape = ShapeIn(edited_.scalars(), *parsed, like.shape);
  if (!type.empty()) given = {.dtype = like.dtype, .shape = shape};
  return edited_.Create(like.op, args, attrs, given);
}

graph::Node* GraphView::AddInput(const char* type) {
  const auto parsed = ParseType(type);
  if (!parsed.ok()) return Made(parsed.status());
  const ir::Node& like = *(*parsed)->inputs()[0];
  return Made(edited_.AddInput(like.dtype, ShapeIn(edited_.scalars(), **parsed, like.shape)));
}

graph::Node* GraphView::Call(const char* op, graph::Node* const* args, int num_args,
                             const char* type) {
  std::vector<ir::EditableNode*> nodes;
  for (int i = 0; i < num_args; ++i) nodes.push_back(NodeOf<NodeView>(args[i]));
  return Made(Create(op, nodes, type == nullptr ? "" : type));
}

graph::Node* GraphView::Number(double value, const graph::Node* like) {
  const ir::EditableNode& node = static_cast<const NodeView*>(like)->node;
  const ScalarId number = edited_.scalars().Float(value);
  const auto scalar =
      edited_.Create(Op::kScalar, {}, {.scalars = {&number, 1}}, {.dtype = node.dtype});
  if (!scalar.ok()) return Made(scalar.status());
  return Made(edited_.BroadcastTo(**scalar, node.shape));
}

graph::Node* GraphView::BroadcastTo(graph::Node* node, const graph::Node* like) {
  return Made(
      edited_.BroadcastTo(*NodeOf<NodeView>(node), static_cast<const NodeView*>(like)->node.shape));
}

void GraphView::InsertBefore(graph::Node* node) {
  edited_.SetInsertionPoint(NodeOf<NodeView>(node));
}

const char* GraphView::SetArg(graph::Node* node, int index, graph::Node* arg) {
  ir::EditableNode& changed = *NodeOf<NodeView>(node);
  std::vector<ir::EditableNode*> operands;
  for (size_t i = 0; i < changed.operands.size(); ++i) operands.push_back(changed.operand(i));
  if (index < 0 || index >= static_cast<int>(operands.size()))
    return Problem(absl::InvalidArgumentError("there is no such argument"));
  operands[index] = NodeOf<NodeView>(arg);
  return Problem(edited_.SetOperands(changed, operands));
}

const char* GraphView::ReplaceAllUses(graph::Node* node, graph::Node* with) {
  return Problem(edited_.ReplaceAllUses(*NodeOf<NodeView>(node), *NodeOf<NodeView>(with)).status());
}

const char* GraphView::Erase(graph::Node* node) {
  return Problem(edited_.Erase(*NodeOf<NodeView>(node)));
}

const char* GraphView::SetOutputs(graph::Node* const* nodes, int num_nodes) {
  std::vector<ir::EditableGraph::Output> outputs;
  for (int i = 0; i < num_nodes; ++i) outputs.push_back({NodeOf<NodeView>(nodes[i]), nullptr});
  return Problem(edited_.SetOutputs(std::move(outputs)));
}

graph::Graph* GraphView::Infer(const char* const* types, int num_types) {
  std::vector<ir::EditableGraph::InputType> inputs;
  for (int i = 0; i < num_types; ++i) {
    const auto parsed = ParseType(types[i]);
    if (Problem(parsed.status()) != nullptr) return nullptr;
    const ir::Node& like = *(*parsed)->inputs()[0];
    ir::EditableGraph::InputType& input = inputs.emplace_back();
    input.dtype = like.dtype;
    for (const ScalarId id : like.shape) {
      (*parsed)->scalars().IsIntConst(id, &input.sizes.emplace_back());
    }
  }
  if (inputs.size() != edited_.inputs().size()) {
    Problem(absl::InvalidArgumentError(absl::StrCat("the graph has ", num_inputs(), " inputs")));
    return nullptr;
  }
  absl::StatusOr<std::unique_ptr<ir::EditableGraph>> inferred = edited_.Infer(inputs);
  if (Problem(inferred.status()) != nullptr) return nullptr;
  return NewView(*std::move(inferred)).release();
}

int GraphView::EliminateDeadCode() { return edited_.EliminateDeadCode(/*keep_raising=*/false); }

namespace {

// The graph outlives its view: it is a base before it.
struct Owner {
  std::unique_ptr<ir::EditableGraph> graph;
};

class OwnedGraph : private Owner, public GraphView {
 public:
  explicit OwnedGraph(std::unique_ptr<ir::EditableGraph> graph)
      : Owner{std::move(graph)}, GraphView(*Owner::graph) {}
};

}  // namespace

std::unique_ptr<graph::Graph> NewView(std::unique_ptr<ir::EditableGraph> graph) {
  return std::make_unique<OwnedGraph>(std::move(graph));
}

}  // namespace dynacc::extensions
