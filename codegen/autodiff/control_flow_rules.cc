// Rules of nodes that run graphs (gradient_rules.h, derivation.h).
//
// The derivative of a branch is a branch of derivatives. That of a loop is a loop that goes the
// other way: it computes each round again from the carries before it, which are kept, and adds up
// what comes back to the constants. So the body's own values are not kept, and a loop of n rounds
// keeps n times its carries.
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/autodiff/derivation.h"
#include "codegen/autodiff/gradient_rules.h"
#include "codegen/autodiff/view_adjoint.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/subgraph.h"
#include "runtime/base/status_macros.h"

namespace dynacc::autodiff {
namespace {

using GraphPtr = std::shared_ptr<ir::Graph>;

// The inputs of a scalar program, in their order.
std::vector<ScalarId> InputsOf(const ScalarProgram& program) {
  std::vector<ScalarId> inputs;
  for (ScalarId id = 0; id < program.size(); ++id) {
    if (program.expr(id).op == ScalarOp::kInput) inputs.push_back(id);
  }
  return inputs;
}

void AddOutput(ir::Graph& graph, const ir::Node* node) {
  graph.AddOutput(graph.Copied(Op::kCOrder, node));
}

// A graph to be run by a node: it has the scalar program of `like`, and no nodes.
GraphPtr NewSubgraph(const ir::Graph& like) {
  auto graph = std::make_shared<ir::Graph>();
  graph->scalars() = like.scalars();
  return graph;
}

Nodes AddInputsLike(ir::Graph& graph, absl::Span<const ir::Node* const> nodes) {
  Nodes inputs;
  for (const ir::Node* node : nodes) inputs.push_back(graph.AddInput(node->dtype, node->shape));
  return inputs;
}

Nodes Picked(absl::Span<const ir::Node* const> nodes, const std::vector<int>& indices) {
  Nodes picked;
  for (const int index : indices) picked.push_back(nodes[index]);
  return picked;
}

void Append(Nodes& nodes, absl::Span<const ir::Node* const> more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
}

// A derived graph, of the scalar program that it was derived with, to be run by a node.
GraphPtr AsSubgraph(const ir::Graph& derived) {
  GraphPtr graph = std::make_shared<ir::Graph>();
  const Nodes made = CopyNodes(derived, *graph, [](const ir::Node&) { return true; });
  for (const ir::Node* output : derived.outputs()) AddOutput(*graph, made[output->id]);
  return graph;
}

// A loop's parts, by their places among its operands and its body's inputs and outputs.
struct LoopParts {
  explicit LoopParts(const ir::Node& node)
      : node(node),
        attrs(*ir::LoopAttrsOf(node.attrs)),
        body(*node.attrs.subgraphs[0]),
        first_carry(static_cast<int>(attrs.constants)),
        first_slice(static_cast<int>(attrs.constants + attrs.carries)),
        num_carries(static_cast<int>(attrs.carries)) {}

  absl::Span<const ir::Node* const> operands() const {
    return node.operands.subspan(static_cast<size_t>(attrs.first()));
  }
  absl::Span<const ir::Node* const> constants() const {
    return operands().subspan(0, static_cast<size_t>(first_carry));
  }
  absl::Span<const ir::Node* const> carries() const {
    return operands().subspan(static_cast<size_t>(first_carry), static_cast<size_t>(num_carries));
  }
  absl::Span<const ir::Node* const> slices() const {
    return operands().subspan(static_cast<size_t>(first_slice));
  }
  int num_outputs() const { return static_cast<int>(body.outputs().size()); }
  bool has_condition() const { return node.attrs.subgraphs.size() > 1; }
  bool is_carry(int input) const { return input >= first_carry && input < first_slice; }

  const ir::Node& node;
  const ir::LoopAttrs attrs;
  const ir::Graph& body;
  const int first_carry, first_slice, num_carries;
};

// Whether the last results are the carries before each round.
bool SavesCarries(const LoopParts& loop) {
  const int first = loop.num_outputs() - loop.num_carries;
  if (first < loop.num_carries) return false;
  for (int i = 0; i < loop.num_carries; ++i) {
    const ir::Node* output = loop.body.outputs()[first + i];
    while (output->op == Op::kCOrder) output = output->operands[0];
    if (output != loop.body.inputs()[loop.first_carry + i]) return false;
  }
  return true;
}

// The loop in `graph`, on `operands`, with these results, too.
const ir::Node* MakeSaving(ir::Graph& graph, const LoopParts& loop, const Nodes& operands) {
  const GraphPtr body = std::make_shared<ir::Graph>();
  const Nodes made = CopyNodes(loop.body, *body, [](const ir::Node&) { return true; });
  for (const ir::Node* output : loop.body.outputs()) body->AddOutput(made[output->id]);
  for (int i = 0; i < loop.num_carries; ++i) AddOutput(*body, body->inputs()[loop.first_carry + i]);
  std::vector<const ir::Graph*> graphs(loop.node.attrs.subgraphs.begin(),
                                       loop.node.attrs.subgraphs.end());
  graphs[0] = body.get();
  ir::NodeAttrs attrs = loop.node.attrs;
  attrs.subgraphs = graphs;
  return ir::MakeControlFlow(graph, Op::kLoop, operands, attrs);
}

// What a loop of derivatives goes by: inputs and outputs of the body.
struct LoopDerivative {
  std::vector<int> constants, carries, slices;  // inputs, by which
  std::vector<int> stacked;                     // outputs, of which, besides the carries'

  std::vector<int> inputs() const {
    std::vector<int> all = constants;
    all.insert(all.end(), carries.begin(), carries.end());
    all.insert(all.end(), slices.begin(), slices.end());
    return all;
  }
};

// The body of the loop that goes the other way. Inputs: the constants; cotangents of carries, and
// sums for constants; saved carries, slices, and cotangents of slices of results.
absl::StatusOr<GraphPtr> BackwardBody(const LoopParts& loop, const LoopDerivative& by) {
  DerivativeOptions options;
  options.inputs = by.inputs();
  for (const int carry : by.carries) options.outputs.push_back(carry - loop.first_carry);
  options.outputs.insert(options.outputs.end(), by.stacked.begin(), by.stacked.end());
  options.with_values = false;
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> joint,
                          BuildJointGraph(loop.body, options));
  const absl::Span<const ir::Node* const> inputs = loop.body.inputs();
  const GraphPtr body = NewSubgraph(loop.body);
  Nodes taken = AddInputsLike(*body, inputs.subspan(0, static_cast<size_t>(loop.first_carry)));
  Nodes cotangents = AddInputsLike(*body, Picked(inputs, by.carries));
  const Nodes sums = AddInputsLike(*body, Picked(inputs, by.constants));
  Append(taken, AddInputsLike(*body, inputs.subspan(static_cast<size_t>(loop.first_carry))));
  Append(cotangents, AddInputsLike(*body, Picked(loop.body.outputs(), by.stacked)));
  Append(taken, cotangents);
  const Nodes gradients = ir::InlineGraph(*joint, *body, taken, InputsOf(body->scalars()));
  const size_t num_constants = by.constants.size(), num_carries = by.carries.size();
  for (size_t i = 0; i < num_carries; ++i) AddOutput(*body, gradients[num_constants + i]);
  for (size_t i = 0; i < num_constants; ++i) {
    AddOutput(*body, body->Binary(Op::kAdd, sums[i], gradients[i]));
  }
  for (size_t i = num_constants + num_carries; i < gradients.size(); ++i) {
    AddOutput(*body, gradients[i]);
  }
  body->RestrictReported(0);
  return body;
}

LoopDerivative FindDerivative(const Pullback& pull, const LoopParts& loop) {
  LoopDerivative by;
  for (int i = 0; i < static_cast<int>(loop.body.inputs().size()); ++i) {
    const bool is_carry = loop.is_carry(i);
    const bool is_needed = is_carry || pull.Needs(static_cast<size_t>(loop.attrs.first()) + i);
    if (!IsInexact(loop.body.inputs()[i]->dtype) || !is_needed) continue;
    (is_carry ? by.carries : i < loop.first_carry ? by.constants : by.slices).push_back(i);
  }
  for (int i = loop.num_carries; i < loop.num_outputs(); ++i) {
    if (pull.CotangentOfResult(i) != nullptr) by.stacked.push_back(i);
  }
  return by;
}

// The rows of an array of saved carries or slices are as many as the loop's length.
const ir::Node* BackwardLoop(Pullback& pull, const LoopParts& loop, const LoopDerivative& by,
                             const ir::Graph& body) {
  ir::Graph& graph = pull.graph;
  const bool is_counted = loop.attrs.counted || loop.has_condition();
  ir::LoopAttrs attrs = {
      .constants = loop.attrs.constants,
      .carries = static_cast<int64_t>(by.carries.size() + by.constants.size()),
      .slices = static_cast<int64_t>(loop.num_carries + loop.slices().size() + by.stacked.size()),
      .counted = is_counted,
      .reverse = !loop.attrs.reverse,
      .length = loop.attrs.length};
  Nodes operands;
  if (is_counted) operands.push_back(ir::ResultOf(graph, &loop.node, loop.num_outputs()));
  Append(operands, loop.constants());
  for (const int carry : by.carries) {
    const ir::Node* const arrived = pull.CotangentOfResult(carry - loop.first_carry);
    const ir::Node& like = *loop.operands()[carry];
    operands.push_back(arrived != nullptr ? arrived : Zeros(graph, like.dtype, like.shape));
  }
  for (const int constant : by.constants) {
    const ir::Node& like = *loop.operands()[constant];
    operands.push_back(Zeros(graph, like.dtype, like.shape));
  }
  for (int i = loop.num_outputs() - loop.num_carries; i < loop.num_outputs(); ++i) {
    operands.push_back(ir::ResultOf(graph, &loop.node, i));
  }
  Append(operands, loop.slices());
  for (const int stacked : by.stacked) operands.push_back(pull.CotangentOfResult(stacked));
  std::vector<ScalarId> numbers = {loop.attrs.length};
  absl::c_copy(ir::NumbersFor(loop.node, 0), std::back_inserter(numbers));
  const std::vector<int64_t> ints = ir::EncodeLoop(attrs);
  const ir::Graph* const graphs[] = {&body};
  return ir::MakeControlFlow(graph, Op::kLoop, operands,
                             {.ints = ints, .scalars = numbers, .subgraphs = graphs});
}

}  // namespace

absl::Status LoopGradient(Pullback& pull) {
  const LoopParts loop(pull.node);
  if (loop.attrs.length == kNoScalar) {
    return absl::UnimplementedError(
        "a while_loop without a bound: say bound=n for one that makes n rounds at most, use scan, "
        "or take derivatives by jvp");
  }
  if (loop.has_condition() && loop.attrs.reverse) {
    return absl::UnimplementedError("a loop with a condition that goes backwards");
  }
  if (!SavesCarries(loop)) return absl::InternalError("a loop whose carries are not kept");
  const LoopDerivative by = FindDerivative(pull, loop);
  if (by.inputs().empty()) return absl::OkStatus();
  DYNACC_ASSIGN_OR_RETURN(const GraphPtr body, BackwardBody(loop, by));
  const ir::Node* const node = BackwardLoop(pull, loop, by, *body);
  const auto first = static_cast<size_t>(loop.attrs.first());
  int64_t result = 0;
  for (const std::vector<int>* part : {&by.carries, &by.constants, &by.slices}) {
    for (const int input : *part) {
      pull.Give(first + static_cast<size_t>(input), ir::ResultOf(pull.graph, node, result++));
    }
  }
  return absl::OkStatus();
}

absl::Status CondGradient(Pullback& pull) {
  DerivativeOptions options;
  options.with_values = false;
  Nodes operands(pull.node.operands.begin(), pull.node.operands.end());
  for (size_t i = 1; i < pull.node.operands.size(); ++i) {
    if (pull.Needs(i) && IsInexact(pull.node.operands[i]->dtype)) {
      options.inputs.push_back(static_cast<int>(i) - 1);
    }
  }
  for (int i = 0; i < ir::NumResults(pull.node); ++i) {
    const ir::Node* const cotangent = pull.CotangentOfResult(i);
    if (cotangent == nullptr) continue;
    options.outputs.push_back(i);
    operands.push_back(cotangent);
  }
  if (options.inputs.empty()) return absl::OkStatus();
  std::vector<GraphPtr> kept;
  std::vector<const ir::Graph*> graphs;
  for (const ir::Graph* branch : pull.node.attrs.subgraphs) {
    DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> joint,
                            BuildJointGraph(*branch, options));
    kept.push_back(AsSubgraph(*joint));
    kept.back()->RestrictReported(0);
    graphs.push_back(kept.back().get());
  }
  ir::NodeAttrs attrs = pull.node.attrs;
  attrs.subgraphs = graphs;
  const ir::Node* const node = ir::MakeControlFlow(pull.graph, Op::kCond, operands, attrs);
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    pull.Give(static_cast<size_t>(options.inputs[i]) + 1,
              ir::ResultOf(pull.graph, node, static_cast<int64_t>(i)));
  }
  return absl::OkStatus();
}

// Its cotangent is its operand's, which asks for it (CotangentOfResult).
absl::Status ResultGradient(Pullback&) { return absl::OkStatus(); }

std::unique_ptr<ir::Graph> SaveCarries(const ir::Graph& graph, absl::Span<const int> inputs) {
  std::vector<bool> active(graph.nodes().size()), is_saving(graph.nodes().size());
  for (const int index : inputs) active[graph.inputs()[index]->id] = true;
  bool any = false;
  for (const ir::Node* node : graph.nodes()) {
    if (DependsOn(*node, active)) active[node->id] = true;
    if (node->op != Op::kLoop || !active[node->id]) continue;
    const LoopParts loop(*node);
    is_saving[node->id] = loop.attrs.length != kNoScalar && !SavesCarries(loop);
    any = any || is_saving[node->id];
  }
  if (!any) return nullptr;
  auto result = std::make_unique<ir::Graph>();
  result->scalars() = graph.scalars();
  Nodes made, operands;
  for (const ir::Node* node : graph.nodes()) {
    operands.clear();
    for (const ir::Node* operand : node->operands) operands.push_back(made[operand->id]);
    result->SetLocation(node->location.file, node->location.line);
    result->SetReported(graph.ReportedBy(node));
    const ir::ResultPlace place = ir::PlaceOfResult(*node);
    if (is_saving[node->id]) {
      made.push_back(MakeSaving(*result, LoopParts(*node), operands));
    } else if (node->op == Op::kResult && is_saving[place.control->id]) {
      const LoopParts loop(*place.control);
      const bool is_rounds = place.index == loop.num_outputs();
      made.push_back(
          ir::ResultOf(*result, operands[0], place.index + (is_rounds ? loop.num_carries : 0)));
    } else {
      made.push_back(result->Make(node->op, node->dtype, node->shape, operands, node->attrs));
    }
  }
  for (const ScalarId condition : graph.conditions()) result->AddCondition(condition);
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const ir::Node* const target = graph.targets()[i];
    result->AddOutput(made[graph.outputs()[i]->id], target == nullptr ? nullptr : made[target->id]);
  }
  return result;
}

namespace {

std::vector<int> InexactOutputs(const ir::Graph& graph) {
  std::vector<int> indices;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    if (IsInexact(graph.outputs()[i]->dtype)) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

absl::StatusOr<TangentNode> TangentOfCond(ir::Graph& graph, const ir::Node& node,
                                          const Nodes& tangents) {
  DerivativeOptions options;
  Nodes operands(node.operands.begin(), node.operands.end());
  for (size_t i = 1; i < tangents.size(); ++i) {
    if (tangents[i] == nullptr) continue;
    options.inputs.push_back(static_cast<int>(i) - 1);
    operands.push_back(tangents[i]);
  }
  options.outputs = InexactOutputs(*node.attrs.subgraphs[0]);
  std::vector<GraphPtr> kept;
  std::vector<const ir::Graph*> graphs;
  for (const ir::Graph* branch : node.attrs.subgraphs) {
    DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> derived,
                            BuildTangentGraph(*branch, options));
    kept.push_back(AsSubgraph(*derived));
    graphs.push_back(kept.back().get());
  }
  ir::NodeAttrs attrs = node.attrs;
  attrs.subgraphs = graphs;
  TangentNode both = {ir::MakeControlFlow(graph, Op::kCond, operands, attrs), {}, {}};
  const int64_t count = ir::NumResults(node);
  for (int64_t i = 0; i < count; ++i) both.places.push_back(i);
  both.tangents.resize(static_cast<size_t>(count));
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    both.tangents[options.outputs[i]] =
        ir::ResultOf(graph, both.node, count + static_cast<int64_t>(i));
  }
  return both;
}

// Gives the carries, their tangents, slices of results, and theirs.
absl::StatusOr<GraphPtr> TangentBody(const LoopParts& loop, const LoopDerivative& by) {
  DerivativeOptions options;
  options.inputs = by.inputs();
  for (const int carry : by.carries) options.outputs.push_back(carry - loop.first_carry);
  options.outputs.insert(options.outputs.end(), by.stacked.begin(), by.stacked.end());
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> derived,
                          BuildTangentGraph(loop.body, options));
  const GraphPtr body = NewSubgraph(loop.body);
  const absl::Span<const ir::Node* const> inputs = loop.body.inputs();
  const auto first_carry = static_cast<size_t>(loop.first_carry);
  const auto num_carries = static_cast<size_t>(loop.num_carries);
  Nodes taken = AddInputsLike(*body, inputs.subspan(0, first_carry));
  Nodes tangents = AddInputsLike(*body, Picked(inputs, by.constants));
  Append(taken, AddInputsLike(*body, inputs.subspan(first_carry, num_carries)));
  Append(tangents, AddInputsLike(*body, Picked(inputs, by.carries)));
  Append(taken, AddInputsLike(*body, inputs.subspan(first_carry + num_carries)));
  Append(tangents, AddInputsLike(*body, Picked(inputs, by.slices)));
  Append(taken, tangents);
  const Nodes given = ir::InlineGraph(*derived, *body, taken, InputsOf(body->scalars()));
  const int count = loop.num_outputs(), carries = static_cast<int>(by.carries.size());
  for (int i = 0; i < loop.num_carries; ++i) AddOutput(*body, given[i]);
  for (int i = 0; i < carries; ++i) AddOutput(*body, given[count + i]);
  for (int i = loop.num_carries; i < count; ++i) AddOutput(*body, given[i]);
  for (size_t i = count + carries; i < given.size(); ++i) AddOutput(*body, given[i]);
  return body;
}

// The loop's condition, which does not look at tangents.
GraphPtr TangentCondition(const LoopParts& loop, const LoopDerivative& by) {
  const ir::Graph& condition = *loop.node.attrs.subgraphs[1];
  const GraphPtr made = NewSubgraph(condition);
  Nodes taken;
  // Its inputs are the body's first ones, in its own scalar program.
  const absl::Span<const ir::Node* const> inputs = condition.inputs();
  Append(taken, AddInputsLike(*made, inputs.subspan(0, static_cast<size_t>(loop.first_carry))));
  AddInputsLike(*made, Picked(inputs, by.constants));
  Append(taken, AddInputsLike(*made, inputs.subspan(static_cast<size_t>(loop.first_carry))));
  AddInputsLike(*made, Picked(inputs, by.carries));
  AddOutput(*made, ir::InlineGraph(condition, *made, taken, InputsOf(made->scalars()))[0]);
  return made;
}

LoopDerivative FindTangents(const LoopParts& loop, const Nodes& tangents) {
  LoopDerivative by;
  for (int i = 0; i < static_cast<int>(loop.body.inputs().size()); ++i) {
    const bool is_carry = loop.is_carry(i);
    const bool has_tangent =
        is_carry || tangents[static_cast<size_t>(loop.attrs.first()) + i] != nullptr;
    if (!IsInexact(loop.body.inputs()[i]->dtype) || !has_tangent) continue;
    (is_carry ? by.carries : i < loop.first_carry ? by.constants : by.slices).push_back(i);
  }
  for (const int output : InexactOutputs(loop.body)) {
    if (output >= loop.num_carries) by.stacked.push_back(output);
  }
  return by;
}

absl::StatusOr<TangentNode> TangentOfLoop(ir::Graph& graph, const ir::Node& node,
                                          const Nodes& tangents) {
  const LoopParts loop(node);
  const LoopDerivative by = FindTangents(loop, tangents);
  DYNACC_ASSIGN_OR_RETURN(const GraphPtr body, TangentBody(loop, by));
  std::vector<const ir::Graph*> graphs = {body.get()};
  GraphPtr condition;
  if (loop.has_condition()) {
    condition = TangentCondition(loop, by);
    graphs.push_back(condition.get());
  }
  const auto first = static_cast<size_t>(loop.attrs.first());
  Nodes operands(node.operands.begin(), node.operands.begin() + loop.attrs.first());
  const auto append_tangents = [&](const std::vector<int>& inputs) {
    for (const int input : inputs) {
      const ir::Node* const tangent = tangents[first + static_cast<size_t>(input)];
      const ir::Node& like = *loop.operands()[input];
      operands.push_back(tangent != nullptr ? tangent : Zeros(graph, like.dtype, like.shape));
    }
  };
  Append(operands, loop.constants());
  append_tangents(by.constants);
  Append(operands, loop.carries());
  append_tangents(by.carries);
  Append(operands, loop.slices());
  append_tangents(by.slices);
  ir::LoopAttrs attrs = loop.attrs;
  attrs.constants += static_cast<int64_t>(by.constants.size());
  attrs.carries += static_cast<int64_t>(by.carries.size());
  attrs.slices += static_cast<int64_t>(by.slices.size());
  const std::vector<int64_t> ints = ir::EncodeLoop(attrs);
  TangentNode both = {
      ir::MakeControlFlow(graph, Op::kLoop, operands,
                          {.ints = ints, .scalars = node.attrs.scalars, .subgraphs = graphs}),
      {},
      {}};
  const auto num_tangents = static_cast<int64_t>(by.carries.size());
  both.tangents.resize(static_cast<size_t>(loop.num_outputs()) + 1);
  for (int64_t i = 0; i < loop.num_outputs(); ++i) {
    both.places.push_back(i < loop.num_carries ? i : i + num_tangents);
  }
  both.places.push_back(ir::NumResults(*both.node) - 1);
  for (size_t i = 0; i < by.carries.size(); ++i) {
    both.tangents[by.carries[i] - loop.first_carry] =
        ir::ResultOf(graph, both.node, loop.num_carries + static_cast<int64_t>(i));
  }
  for (size_t i = 0; i < by.stacked.size(); ++i) {
    both.tangents[by.stacked[i]] =
        ir::ResultOf(graph, both.node, loop.num_outputs() + num_tangents + static_cast<int64_t>(i));
  }
  return both;
}

}  // namespace

absl::StatusOr<TangentNode> TangentOfControlFlow(ir::Graph& graph, const ir::Node& node,
                                                 const Nodes& tangents) {
  return node.op == Op::kCond ? TangentOfCond(graph, node, tangents)
                              : TangentOfLoop(graph, node, tangents);
}

}  // namespace dynacc::autodiff
