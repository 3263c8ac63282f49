#include "codegen/ir/editable_graph.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/attr_form.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/verifier.h"
#include "runtime/base/status_macros.h"
#include "runtime/scalar/append_program.h"

namespace dynacc::ir {
namespace {

std::string Text(const ScalarProgram& scalars, const Node& node) {
  return PrintType(scalars, node.dtype, node.shape);
}

absl::Status About(const EditableGraph& graph, const Node& node, absl::string_view what) {
  graph.Number();
  return absl::InvalidArgumentError(
      absl::StrCat("'", PrintNode(graph.scalars(), node), "': ", what));
}

// The node's call on other operands: its own if they are of the dtypes and ranks that it was traced
// with. Else none, which an op that says what it computes can do without; a library call cannot.
absl::StatusOr<int64_t> CallOn(const Node& node, absl::Span<EditableNode* const> operands) {
  bool alike = operands.size() == node.operands.size();
  for (size_t i = 0; alike && i < operands.size(); ++i) {
    alike = operands[i]->dtype == node.operands[i]->dtype &&
            operands[i]->shape.size() == node.operands[i]->shape.size();
  }
  if (alike) return node.attrs.call;
  return node.op != Op::kLibraryCall
             ? absl::StatusOr<int64_t>(kNoCall)
             : absl::InvalidArgumentError(
                   "'library_call' takes operands of the dtypes and ranks that it was traced with");
}

// How many attributes an op's form has; printing and rules count on that.
absl::Status CheckAttrs(Op op, absl::Span<EditableNode* const> operands, const NodeAttrs& attrs) {
  const auto wrong = [op](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("'", Info(op).text, "' ", what));
  };
  const AttrForm form = AttrFormOf(op);
  if (form == AttrForm::kIndex && attrs.ints.size() != 1) return wrong("needs one index");
  if (form == AttrForm::kNumber && (attrs.scalars.empty() || attrs.scalars.size() > 2)) {
    return wrong("needs one number");
  }
  if (form == AttrForm::kView && !operands.empty() &&
      attrs.scalars.size() != operands[0]->shape.size() + attrs.ints.size()) {
    return wrong(
        "needs an axis and a step for each axis that it shows, and a start for each of "
        "its operand");
  }
  if (form == AttrForm::kShifts && !operands.empty() &&
      attrs.scalars.size() != operands[0]->shape.size()) {
    return wrong("needs a shift for each axis");
  }
  if (form == AttrForm::kAxis && attrs.ints.size() != 1) return wrong("needs one axis");
  if (form == AttrForm::kNothing && (!attrs.ints.empty() || !attrs.scalars.empty())) {
    return wrong("has no attributes");
  }
  return absl::OkStatus();
}

}  // namespace

EditableGraph::EditableGraph(const Graph& graph) : scalars_(graph.scalars()) {
  std::vector<EditableNode*> made;
  made.reserve(graph.nodes().size());
  for (const Node* node : graph.nodes()) {
    std::vector<EditableNode*> operands;
    for (const Node* operand : node->operands) operands.push_back(made[operand->id]);
    SetLocation(node->location.file, node->location.line);
    const NodeType type = {node->dtype, {node->shape.begin(), node->shape.end()}};
    EditableNode& copy = NewNode(node->op, type, operands, node->attrs);
    copy.reported = static_cast<uint8_t>(graph.ReportedBy(node));
    copy.origin = node->origin;
    if (node->op == Op::kInput) inputs_.push_back(&copy);
    made.push_back(&copy);
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const Node* const target = graph.targets()[i];
    outputs_.push_back(
        {made[graph.outputs()[i]->id], target == nullptr ? nullptr : made[target->id]});
  }
  conditions_.assign(graph.conditions().begin(), graph.conditions().end());
  location_ = {};
}

void EditableGraph::SetLocation(absl::string_view file, int line) {
  location_.line = line;
  if (file == location_.file) return;
  location_.file = files_.emplace_back(file).c_str();
}

std::vector<EditableNode*> EditableGraph::UsersOf(const EditableNode& node) const {
  std::vector<EditableNode*> users;
  absl::flat_hash_set<const EditableNode*> seen;
  for (const NodeUse* use = node.uses; use != nullptr; use = use->next) {
    if (seen.insert(use->user).second) users.push_back(use->user);
  }
  std::reverse(users.begin(), users.end());
  return users;
}

bool EditableGraph::IsOutput(const EditableNode& node) const {
  return absl::c_any_of(outputs_, [&](const Output& output) {
    return output.node == &node || output.target == &node;
  });
}

void EditableGraph::MarkForeignCalls() {
  for (const EditableNode* node = first_; node != nullptr; node = node->next) {
    has_foreign_calls_ |= MakesCall(*node);
  }
}

void EditableGraph::Number() const {
  if (numbered_) return;
  int32_t position = 0;
  for (EditableNode* node = first_; node != nullptr; node = node->next) node->id = position++;
  numbered_ = true;
}

void EditableGraph::Link(EditableNode& node, EditableNode* before) {
  node.next = before;
  node.previous = before == nullptr ? last_ : before->previous;
  (node.previous == nullptr ? first_ : node.previous->next) = &node;
  (before == nullptr ? last_ : before->previous) = &node;
  node.id = static_cast<int32_t>(size_++);
  if (before != nullptr) numbered_ = false;
}

void EditableGraph::SetUse(NodeUse& use, EditableNode* value) {
  if (use.value != nullptr) {
    *use.link = use.next;
    if (use.next != nullptr) use.next->link = use.link;
  }
  use.value = value;
  if (value == nullptr) return;
  use.next = value->uses;
  use.link = &value->uses;
  if (use.next != nullptr) use.next->link = &use.next;
  value->uses = &use;
}

void EditableGraph::FixType(EditableNode& node, const NodeType& type) {
  node.dtype = type.dtype;
  node.shape_storage = type.shape;
  node.shape = node.shape_storage;
}

void EditableGraph::FixAttrs(EditableNode& node, const NodeAttrs& attrs) {
  node.int_storage.assign(attrs.ints.begin(), attrs.ints.end());
  node.scalar_storage.assign(attrs.scalars.begin(), attrs.scalars.end());
  std::vector<const Graph*> subgraphs(attrs.subgraphs.begin(), attrs.subgraphs.end());
  std::vector<std::shared_ptr<const Graph>> kept;
  for (const Graph* subgraph : subgraphs) kept.push_back(subgraph->shared_from_this());
  node.subgraph_storage = std::move(subgraphs);
  node.kept_subgraphs = std::move(kept);
  node.attrs = {.ints = node.int_storage,
                .scalars = node.scalar_storage,
                .keepdims = attrs.keepdims,
                .order = attrs.order,
                .call = attrs.call,
                .subgraphs = node.subgraph_storage};
}

void EditableGraph::TakeOperands(EditableNode& node, absl::Span<EditableNode* const> operands) {
  for (size_t i = 0; i < node.operand_storage.size(); ++i) SetUse(node.uses_of[i], nullptr);
  if (operands.size() != node.operand_storage.size()) {
    node.uses_of = operands.empty() ? nullptr : std::make_unique<NodeUse[]>(operands.size());
  }
  node.operand_storage.assign(operands.begin(), operands.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    node.uses_of[i].user = &node;
    SetUse(node.uses_of[i], operands[i]);
  }
  node.operands = node.operand_storage;
}

EditableNode& EditableGraph::NewNode(Op op, const NodeType& type,
                                     absl::Span<EditableNode* const> operands,
                                     const NodeAttrs& attrs) {
  EditableNode& node = storage_.emplace_back();
  node.op = op;
  node.location = location_;
  node.origin = -1;
  FixType(node, type);
  FixAttrs(node, attrs);
  TakeOperands(node, operands);
  Link(node, insert_before_);
  return node;
}

EditableNode* EditableGraph::AddInput(DType dtype, absl::Span<const ScalarId> shape) {
  const auto index = static_cast<int64_t>(inputs_.size());
  EditableNode& node =
      NewNode(Op::kInput, {dtype, {shape.begin(), shape.end()}}, {}, {.ints = {&index, 1}});
  inputs_.push_back(&node);
  return &node;
}

absl::StatusOr<EditableNode*> EditableGraph::BroadcastTo(EditableNode& node,
                                                         absl::Span<const ScalarId> shape) {
  if (node.shape == shape) return &node;
  const auto refuse = [&] {
    return About(*this, node,
                 absl::StrCat("does not broadcast to ", PrintType(scalars_, node.dtype, shape)));
  };
  if (node.shape.size() > shape.size()) return refuse();
  const size_t added = shape.size() - node.shape.size();
  const ScalarId zero = scalars_.Int(0), one = scalars_.Int(1);
  std::vector<int64_t> axis(shape.size(), -1);
  ShapeVector numbers(node.shape.size(), zero);  // the starts, then the steps
  numbers.resize(node.shape.size() + shape.size(), zero);
  for (size_t d = added; d < shape.size(); ++d) {
    const ScalarId size = node.shape[d - added];
    if (size != shape[d] && size != one) return refuse();
    if (size != shape[d]) continue;
    axis[d] = static_cast<int64_t>(d - added);
    numbers[node.shape.size() + d] = one;
  }
  EditableNode* const operand = &node;
  return Create(Op::kView, {&operand, 1}, {.ints = axis, .scalars = numbers}, {.shape = shape});
}

absl::StatusOr<EditableNode*> EditableGraph::Create(Op op, absl::Span<EditableNode* const> operands,
                                                    const NodeAttrs& attrs,
                                                    const GivenType& given) {
  if (op == Op::kInput) return absl::InvalidArgumentError("inputs are made by 'placeholder'");
  const boost::container::small_vector<const Node*, 4> nodes(operands.begin(), operands.end());
  DYNACC_RETURN_IF_ERROR(CheckAttrs(op, operands, attrs));
  DYNACC_ASSIGN_OR_RETURN(const NodeType type,
                          InferType(op, {nodes.data(), nodes.size()}, attrs, given, scalars_));
  return &NewNode(op, type, operands, attrs);
}

absl::Status EditableGraph::SetOperands(EditableNode& node,
                                        absl::Span<EditableNode* const> operands) {
  if (absl::c_linear_search(operands, &node)) {
    return About(*this, node, "a node cannot be its own operand");
  }
  const std::vector<const Node*> nodes(operands.begin(), operands.end());
  DYNACC_RETURN_IF_ERROR(CheckAttrs(node.op, operands, node.attrs));
  DYNACC_ASSIGN_OR_RETURN(const int64_t call, CallOn(node, operands));
  GivenType given;
  if (Info(node.op).dtype_rule == DTypeRule::kAttr) given.dtype = node.dtype;
  if (HasGivenShape(node.op)) given.shape = node.shape;
  DYNACC_ASSIGN_OR_RETURN(const NodeType type,
                          InferType(node.op, nodes, node.attrs, given, scalars_));
  node.attrs.call = call;
  FixType(node, type);
  TakeOperands(node, operands);
  return absl::OkStatus();
}

absl::Status EditableGraph::SetAttrs(EditableNode& node, const NodeAttrs& attrs,
                                     const GivenType& given) {
  std::vector<EditableNode*> operands;
  for (size_t i = 0; i < node.operands.size(); ++i) operands.push_back(node.operand(i));
  DYNACC_RETURN_IF_ERROR(CheckAttrs(node.op, operands, attrs));
  DYNACC_ASSIGN_OR_RETURN(const NodeType type,
                          InferType(node.op, node.operands, attrs, given, scalars_));
  FixAttrs(node, attrs);
  FixType(node, type);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<EditableNode*>> EditableGraph::ReplaceAllUses(EditableNode& node,
                                                                         EditableNode& with) {
  if (node.dtype != with.dtype || node.shape != with.shape) {
    return About(
        *this, node,
        absl::StrCat("cannot be replaced by a node of another type, ", Text(scalars_, with)));
  }
  std::vector<EditableNode*> users = UsersOf(node);
  std::erase(users, &with);
  if (&node == &with) return users;
  for (EditableNode* user : users) {
    for (size_t i = 0; i < user->operands.size(); ++i) {
      if (user->operand(i) != &node) continue;
      SetUse(user->uses_of[i], &with);
      user->operand_storage[i] = &with;
    }
  }
  for (Output& output : outputs_) {
    if (output.node == &node) output.node = &with;
  }
  return users;
}

absl::Status EditableGraph::Erase(EditableNode& node) {
  if (node.erased) return absl::FailedPreconditionError("the node is erased already");
  if (node.uses != nullptr || IsOutput(node)) {
    Number();
    return absl::FailedPreconditionError(absl::StrCat(
        "'", PrintNode(scalars_, node), "' is used by ",
        node.uses == nullptr ? "the graph's outputs"
                             : absl::StrCat("'", PrintNode(scalars_, *node.uses->user), "'")));
  }
  TakeOperands(node, {});
  (node.previous == nullptr ? first_ : node.previous->next) = node.next;
  (node.next == nullptr ? last_ : node.next->previous) = node.previous;
  if (insert_before_ == &node) insert_before_ = node.next;
  --size_;
  numbered_ = false;
  node.erased = true;
  if (node.op != Op::kInput) return absl::OkStatus();
  std::erase(inputs_, &node);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    FixAttrs(*inputs_[i], {.ints = {&index, 1}});
  }
  return absl::OkStatus();
}

int EditableGraph::EliminateDeadCode(bool keep_raising) {
  absl::flat_hash_set<const EditableNode*> kept;
  for (const Output& output : outputs_) kept.insert(output.node);
  int erased = 0;
  for (EditableNode* node = last_; node != nullptr;) {
    EditableNode* const previous = node->previous;
    // A number that it defines may be a size or a place of others.
    const bool defines =
        (node->op == Op::kLibraryCall || node->op == Op::kCompress) && !node->attrs.scalars.empty();
    const bool stays = node->uses != nullptr || node->op == Op::kInput || kept.contains(node) ||
                       defines || (keep_raising && MayRaise(*node));
    if (!stays) {
      TakeOperands(*node, {});
      (node->previous == nullptr ? first_ : node->previous->next) = node->next;
      (node->next == nullptr ? last_ : node->next->previous) = node->previous;
      if (insert_before_ == node) insert_before_ = node->next;
      node->erased = true;
      --size_;
      ++erased;
    }
    node = previous;
  }
  if (erased > 0) numbered_ = false;
  return erased;
}

absl::Status EditableGraph::SetOutputs(std::vector<Output> outputs) {
  absl::flat_hash_set<const EditableNode*> targets;
  for (const Output& output : outputs) {
    if (output.target == nullptr) continue;
    const bool is_like = output.target->op == Op::kInput &&
                         output.target->dtype == output.node->dtype &&
                         output.target->shape == output.node->shape;
    if (!is_like) return About(*this, *output.node, "is written into what is no input like it");
    if (!targets.insert(output.target).second) {
      return About(*this, *output.target, "is the target of two outputs");
    }
  }
  outputs_ = std::move(outputs);
  return absl::OkStatus();
}

void EditableGraph::AddCondition(ScalarId condition) {
  if (!absl::c_linear_search(conditions_, condition)) conditions_.push_back(condition);
}

absl::Status EditableGraph::CheckOrder() const {
  Number();
  for (const EditableNode* node = first_; node != nullptr; node = node->next) {
    for (size_t i = 0; i < node->operands.size(); ++i) {
      const EditableNode& operand = *node->operand(i);
      if (operand.erased) return About(*this, *node, "an operand is erased");
      if (operand.id >= node->id) {
        return About(*this, *node,
                     absl::StrCat("is made before its operand %", operand.id,
                                  ": a graph's nodes come after their operands"));
      }
    }
  }
  for (const Output& output : outputs_) {
    if (output.node->erased) return absl::InvalidArgumentError("an output is erased");
    if (output.target == nullptr) continue;
    if (output.target->erased) return absl::InvalidArgumentError("an output's target is erased");
    if (output.target->dtype != output.node->dtype || output.target->shape != output.node->shape) {
      return About(*this, *output.node, "is written into an input of another type");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Graph>> EditableGraph::Build(bool to_run) const {
  DYNACC_RETURN_IF_ERROR(CheckOrder());
  const bool drops_calls = to_run && has_foreign_calls_;
  for (const EditableNode* node = first_; drops_calls && node != nullptr; node = node->next) {
    if (node->op != Op::kLibraryCall) continue;
    return About(*this, *node, "the call belongs to the process that captured it");
  }
  auto graph = std::make_unique<Graph>();
  graph->scalars() = scalars_;
  std::vector<const Node*> made(size_);
  size_t num_inputs = 0;
  const auto make = [&](const EditableNode& node) {
    std::vector<const Node*> operands;
    for (const Node* operand : node.operands) operands.push_back(made[operand->id]);
    graph->SetLocation(node.location.file, node.location.line);
    graph->SetReported(node.reported);
    NodeAttrs attrs = node.attrs;
    if (drops_calls) attrs.call = kNoCall;
    made[node.id] = graph->Make(node.op, node.dtype, node.shape, operands, attrs);
  };
  for (const EditableNode* node = first_; node != nullptr; node = node->next) {
    if (node->op != Op::kInput) {
      make(*node);
      continue;
    }
    // A graph's inputs are made in the order of their indices.
    const auto index = static_cast<size_t>(node->attrs.ints[0]);
    for (; num_inputs <= index; ++num_inputs) make(*inputs_[num_inputs]);
  }
  for (const Output& output : outputs_) {
    graph->AddOutput(made[output.node->id],
                     output.target == nullptr ? nullptr : made[output.target->id]);
  }
  for (const ScalarId condition : conditions_) graph->AddCondition(condition);
  const absl::Status verified = VerifyGraph(*graph);
  if (!verified.ok()) return absl::InvalidArgumentError(verified.message());
  return graph;
}

ShapeVector NodeCopier::Mapped(absl::Span<const ScalarId> ids) {
  const auto leaf = [this](ScalarId id, const ScalarExpr& expr) {
    if (const auto known = bound_.find(id); known != bound_.end()) return known->second;
    return expr.op == ScalarOp::kInput ? to_.scalars().AddInput(expr.type)
                                       : to_.scalars().AddDataDependent();
  };
  AppendProgram(from_.scalars(), to_.scalars(), leaf, scalars_);
  ShapeVector mapped;
  for (const ScalarId id : ids) mapped.push_back(scalars_[id]);
  return mapped;
}

absl::Status NodeCopier::Bind(const EditableNode& input, const EditableNode& node) {
  const auto differ = [&] {
    return About(from_, input,
                 absl::StrCat("cannot be a node of another type, ", Text(to_.scalars(), node)));
  };
  if (node.dtype != input.dtype || node.shape.size() != input.shape.size()) return differ();
  if (scalars_.empty()) {
    for (size_t d = 0; d < input.shape.size(); ++d) {
      const ScalarId size = input.shape[d];
      if (from_.scalars().expr(size).op == ScalarOp::kInput)
        bound_.try_emplace(size, node.shape[d]);
    }
  }
  for (size_t d = 0; d < input.shape.size(); ++d) {
    int64_t have, want;
    const ScalarId size = input.shape[d];
    const auto found = bound_.find(size);
    if (found != bound_.end() && found->second != node.shape[d]) return differ();
    if (!from_.scalars().IsIntConst(size, &want)) continue;
    if (!to_.scalars().IsIntConst(node.shape[d], &have) || have != want) return differ();
  }
  return absl::OkStatus();
}

EditableNode* NodeCopier::CopyInput(const EditableNode& input) {
  to_.SetLocation(input.location.file, input.location.line);
  return to_.AddInput(input.dtype, Mapped(input.shape));
}

absl::StatusOr<EditableNode*> NodeCopier::Copy(const EditableNode& node,
                                               absl::Span<EditableNode* const> operands) {
  DYNACC_ASSIGN_OR_RETURN(const int64_t call, CallOn(node, operands));
  to_.has_foreign_calls_ |= from_.has_foreign_calls_ && MakesCall(node);
  const ShapeVector shape = Mapped(node.shape);
  const ShapeVector numbers = Mapped(node.attrs.scalars);
  NodeAttrs attrs = node.attrs;
  attrs.scalars = numbers;
  attrs.call = call;
  GivenType given;
  if (Info(node.op).dtype_rule == DTypeRule::kAttr) given.dtype = node.dtype;
  if (HasGivenShape(node.op)) given.shape = shape;
  to_.SetLocation(node.location.file, node.location.line);
  // Of the same operands the type is the same, although it may follow in several ways: of sizes
  // that are required to be equal, either one.
  bool same = operands.size() == node.operands.size();
  for (size_t i = 0; same && i < operands.size(); ++i) {
    same = operands[i]->dtype == node.operands[i]->dtype &&
           operands[i]->shape == absl::MakeConstSpan(Mapped(node.operands[i]->shape));
  }
  absl::StatusOr<EditableNode*> copy =
      same ? &to_.NewNode(node.op, {node.dtype, shape}, operands, attrs)
           : to_.Create(node.op, operands, attrs, given);
  to_.SetLocation("", 0);
  if (copy.ok()) (*copy)->reported = node.reported;
  return copy;
}

absl::Status NodeCopier::CopyAll(absl::flat_hash_map<const EditableNode*, EditableNode*>& map) {
  for (const EditableNode* input : from_.inputs()) {
    const auto found = map.find(input);
    if (found != map.end()) DYNACC_RETURN_IF_ERROR(Bind(*input, *found->second));
  }
  for (const EditableNode* node = from_.first(); node != nullptr; node = node->next) {
    if (map.contains(node)) continue;
    if (node->op == Op::kInput) {
      map[node] = CopyInput(*node);
      continue;
    }
    std::vector<EditableNode*> operands;
    for (size_t i = 0; i < node->operands.size(); ++i) {
      const auto operand = map.find(node->operand(i));
      if (operand == map.end()) return About(from_, *node, "comes before an operand");
      operands.push_back(operand->second);
    }
    const absl::StatusOr<EditableNode*> copy = Copy(*node, operands);
    if (!copy.ok()) return About(from_, *node, copy.status().message());
    map[node] = *copy;
  }
  to_.SetLocation("", 0);
  return absl::OkStatus();
}

bool NodeCopier::KnowsConditions() {
  return absl::c_all_of(Mapped(from_.conditions()), [this](ScalarId condition) {
    const ScalarExpr& expr = to_.scalars().expr(condition);
    const bool holds = expr.op == ScalarOp::kConst && expr.value.i != 0;
    return holds || absl::c_linear_search(to_.conditions(), condition);
  });
}

void NodeCopier::CopyConditions() {
  for (const ScalarId condition : Mapped(from_.conditions())) {
    if (to_.scalars().expr(condition).op != ScalarOp::kConst) to_.AddCondition(condition);
  }
}

namespace {

// Sizes of a graph's inputs that are inputs of its scalar program, as they are in another graph.
using SizeMap = absl::flat_hash_map<ScalarId, ScalarId>;

// A graph made again on inputs of other types.
class Inference {
 public:
  Inference(const EditableGraph& from, absl::Span<const EditableGraph::InputType> inputs)
      : from_(from), inputs_(inputs), to_(std::make_unique<EditableGraph>()) {}

  absl::StatusOr<std::unique_ptr<EditableGraph>> Run() {
    if (inputs_.size() != from_.inputs().size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the graph has ", from_.inputs().size(), " inputs, not ", inputs_.size()));
    }
    SizeMap sizes;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      DYNACC_RETURN_IF_ERROR(BindSizes(*from_.inputs()[i], inputs_[i], sizes));
    }
    const auto leaf = [&](ScalarId id, const ScalarExpr& expr) {
      if (const auto known = sizes.find(id); known != sizes.end()) return known->second;
      return expr.op == ScalarOp::kInput ? to_->scalars().AddInput(expr.type)
                                         : to_->scalars().AddDataDependent();
    };
    AppendProgram(from_.scalars(), to_->scalars(), leaf, scalars_);
    for (const EditableNode* node = from_.first(); node != nullptr; node = node->next) {
      DYNACC_RETURN_IF_ERROR(Make(*node));
    }
    std::vector<EditableGraph::Output> outputs;
    for (const EditableGraph::Output& output : from_.outputs()) {
      outputs.push_back(
          {made_[output.node], output.target == nullptr ? nullptr : made_[output.target]});
    }
    DYNACC_RETURN_IF_ERROR(to_->SetOutputs(std::move(outputs)));
    for (const ScalarId condition : from_.conditions()) {
      const ScalarExpr& expr = to_->scalars().expr(scalars_[condition]);
      if (expr.op == ScalarOp::kConst && expr.value.i == 0) {
        return absl::InvalidArgumentError(absl::StrCat("the graph requires that ",
                                                       from_.scalars().ToString(condition),
                                                       ", which these sizes do not fulfil"));
      }
      if (expr.op != ScalarOp::kConst) to_->AddCondition(scalars_[condition]);
    }
    return std::move(to_);
  }

 private:
  absl::Status BindSizes(const EditableNode& input, const EditableGraph::InputType& type,
                         SizeMap& sizes) {
    if (type.sizes.size() != input.shape.size()) {
      return About(from_, input, absl::StrCat("takes no array of ", type.sizes.size(), " axes"));
    }
    for (size_t d = 0; d < type.sizes.size(); ++d) {
      int64_t known;
      const ScalarId id = input.shape[d];
      if (type.sizes[d] == EditableGraph::InputType::kAnySize) continue;
      if (from_.scalars().IsIntConst(id, &known)) {
        if (known == type.sizes[d]) continue;
        return About(from_, input,
                     absl::StrCat("has the size ", known, " along axis ", d, ", not ",
                                  type.sizes[d], ": only sizes that vary can be given"));
      }
      if (from_.scalars().expr(id).op != ScalarOp::kInput) {
        return About(from_, input,
                     absl::StrCat("axis ", d, " has a size that follows from others"));
      }
      const ScalarId given = to_->scalars().Int(type.sizes[d]);
      if (const auto [found, is_new] = sizes.try_emplace(id, given);
          !is_new && found->second != given) {
        return About(from_, input, absl::StrCat("two sizes for ", from_.scalars().Name(id)));
      }
    }
    return absl::OkStatus();
  }

  ShapeVector Mapped(absl::Span<const ScalarId> ids) const {
    ShapeVector mapped;
    for (const ScalarId id : ids) mapped.push_back(scalars_[id]);
    return mapped;
  }

  // Whether it is a constant seen through views: then it takes the dtype that is asked for.
  bool IsConstant(const EditableNode& node) const {
    const EditableNode* at = &node;
    while (at->op == Op::kView || at->op == Op::kReshape) at = at->operand(0);
    return at->op == Op::kScalar || at->op == Op::kFull;
  }

  absl::StatusOr<EditableNode*> AsDType(EditableNode& node, DType dtype) {
    std::vector<EditableNode*> operands;
    if (!node.operands.empty()) {
      DYNACC_ASSIGN_OR_RETURN(EditableNode * operand, AsDType(*node.operand(0), dtype));
      operands.push_back(operand);
    }
    const GivenType given = {.dtype = dtype, .shape = node.shape};
    return to_->Create(node.op, operands, node.attrs, given);
  }

  // Operands that have other dtypes although they had one before: constants give way.
  absl::Status Unify(const EditableNode& node, std::vector<EditableNode*>& operands) {
    std::optional<DType> dtype;
    const size_t first = node.op == Op::kWhere ? 1 : 0;
    for (size_t i = first; i < operands.size(); ++i) {
      if (!IsConstant(*operands[i])) dtype = operands[i]->dtype;
    }
    for (size_t i = first; dtype && i < operands.size(); ++i) {
      if (operands[i]->dtype == *dtype || !IsConstant(*operands[i])) continue;
      DYNACC_ASSIGN_OR_RETURN(operands[i], AsDType(*operands[i], *dtype));
    }
    return absl::OkStatus();
  }

  absl::Status Make(const EditableNode& node) {
    const ShapeVector shape = Mapped(node.shape);
    to_->SetLocation(node.location.file, node.location.line);
    if (node.op == Op::kInput) {
      made_[&node] = to_->AddInput(inputs_[node.attrs.ints[0]].dtype, shape);
      return absl::OkStatus();
    }
    std::vector<EditableNode*> operands;
    for (size_t i = 0; i < node.operands.size(); ++i) operands.push_back(made_[node.operand(i)]);
    DYNACC_RETURN_IF_ERROR(Unify(node, operands));
    const ShapeVector numbers = Mapped(node.attrs.scalars);
    NodeAttrs attrs = node.attrs;
    attrs.scalars = numbers;
    GivenType given;
    if (HasGivenShape(node.op)) given.shape = shape;
    if (Info(node.op).dtype_rule == DTypeRule::kAttr) given.dtype = node.dtype;
    const absl::StatusOr<int64_t> call = CallOn(node, operands);
    if (!call.ok()) return About(from_, node, call.status().message());
    attrs.call = *call;
    const absl::StatusOr<EditableNode*> made = to_->Create(node.op, operands, attrs, given);
    if (!made.ok()) return About(from_, node, made.status().message());
    (*made)->reported = node.reported;
    made_[&node] = *made;
    return absl::OkStatus();
  }

  const EditableGraph& from_;
  const absl::Span<const EditableGraph::InputType> inputs_;
  std::unique_ptr<EditableGraph> to_;
  std::vector<ScalarId> scalars_;  // of the result, by `from_`'s ids
  absl::flat_hash_map<const EditableNode*, EditableNode*> made_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EditableGraph>> EditableGraph::Infer(
    absl::Span<const InputType> inputs) const {
  return Inference(*this, inputs).Run();
}

}  // namespace dynacc::ir
