#include "codegen/autodiff/joint_graph.h"

#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "codegen/autodiff/gradient_rules.h"
#include "codegen/autodiff/view_adjoint.h"
#include "codegen/ir/graph_text.h"
#include "runtime/base/status_macros.h"

namespace dynacc::autodiff {
namespace {

using Nodes = std::vector<const ir::Node*>;

absl::Status CheckIndices(absl::Span<const ir::Node* const> nodes, const std::vector<int>& indices,
                          const char* what) {
  std::vector<bool> seen(nodes.size());
  for (const int index : indices) {
    if (index < 0 || index >= static_cast<int>(nodes.size())) {
      return absl::InvalidArgumentError(absl::StrCat("the graph has no ", what, " ", index));
    }
    if (seen[index]) {
      return absl::InvalidArgumentError(absl::StrCat(what, " ", index, " is named twice"));
    }
    seen[index] = true;
    const DType dtype = nodes[index]->dtype;
    if (IsInexact(dtype)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        what, " ", index, " is of ", Info(dtype).text,
        ": derivatives are of floating-point or complex numbers by such numbers. Convert it"));
  }
  return absl::OkStatus();
}

// "node" of f in words, with the user's line.
std::string Describe(const ir::Graph& graph, const ir::Node& node) {
  const ir::SourceLocation at = node.location;
  const std::string text = absl::StrCat("'", ir::PrintNode(graph, node), "'");
  return *at.file == '\0' ? text : absl::StrCat(text, " at ", at.file, ":", at.line);
}

absl::Status NoGradient(const ir::Graph& graph, const ir::Node& node, absl::string_view why) {
  return absl::UnimplementedError(absl::StrCat(
      "no gradient is known of ", Describe(graph, node), ": ", why,
      ". If it counts as a constant, wrap its result in dynacc.stop_gradient; otherwise write it "
      "with functions that docs/gradients.md lists"));
}

// Adds the nodes of `graph` for which `keep` holds to `copy`, an empty graph, with origins of their
// own; gives them by their ids in `graph`. `make` may give another node in the place of one.
using Keep = absl::FunctionRef<bool(const ir::Node&)>;
using MakeInput = absl::FunctionRef<const ir::Node*(ir::Graph& copy, const ir::Node& input)>;

const ir::Node* SameInput(ir::Graph& copy, const ir::Node& input) {
  return copy.AddInput(input.dtype, input.shape);
}

Nodes CopyNodes(const ir::Graph& graph, ir::Graph& copy, Keep keep,
                MakeInput make_input = SameInput) {
  copy.scalars() = graph.scalars();
  Nodes made(graph.nodes().size()), operands;
  for (const ir::Node* node : graph.nodes()) {
    if (!keep(*node)) continue;
    operands.clear();
    for (const ir::Node* operand : node->operands) operands.push_back(made[operand->id]);
    copy.SetLocation(node->location.file, node->location.line);
    copy.SetReported(graph.ReportedBy(node));
    made[node->id] = node->op == Op::kInput
                         ? make_input(copy, *node)
                         : copy.Make(node->op, node->dtype, node->shape, operands, node->attrs);
  }
  for (const ScalarId condition : graph.conditions()) copy.AddCondition(condition);
  return made;
}

// Reverse mode over the nodes that a graph has when it begins; what it makes comes behind them.
class Reverse {
 public:
  Reverse(ir::Graph& graph, absl::Span<const ir::Node* const> inputs)
      : graph_(graph), num_nodes_(graph.nodes().size()), cotangents_(num_nodes_) {
    active_.resize(num_nodes_);
    for (const ir::Node* input : inputs) active_[input->id] = true;
    for (size_t id = 0; id < num_nodes_; ++id) {
      if (IsActive(*graph.nodes()[id])) active_[id] = true;
    }
  }

  void Seed(const ir::Node* output, const ir::Node* cotangent) {
    if (!active_[output->id]) return;
    const ir::Node*& sum = cotangents_[output->id];
    sum = sum == nullptr ? cotangent : graph_.Binary(Op::kAdd, sum, cotangent);
  }

  absl::Status Run() {
    for (size_t id = num_nodes_; id-- > 0;) {
      const ir::Node& node = *graph_.nodes()[id];
      const GradientRow& row = GradientOf(node.op);
      if (cotangents_[id] == nullptr || row.kind == GradientKind::kZero) continue;
      if (row.kind == GradientKind::kNone) return NoGradient(graph_, node, row.words);
      graph_.SetLocation(node.location.file, node.location.line);
      Pullback pullback(graph_, node, cotangents_[id], cotangents_, active_);
      const absl::Status status = row.pull(pullback);
      if (!status.ok()) return NoGradient(graph_, node, status.message());
    }
    return absl::OkStatus();
  }

  // Null: zero.
  const ir::Node* CotangentOf(const ir::Node* node) const { return cotangents_[node->id]; }

 private:
  // Whether a derivative of the node by the inputs may not be zero.
  bool IsActive(const ir::Node& node) const {
    if (!IsInexact(node.dtype) || GradientOf(node.op).kind == GradientKind::kZero) return false;
    return absl::c_any_of(node.operands, [&](const ir::Node* o) { return active_[o->id]; });
  }

  ir::Graph& graph_;
  const size_t num_nodes_;
  Nodes cotangents_;
  std::vector<bool> active_;
};

// Whether each node is needed: by an output, or for what it tells. Nodes before `first` may report
// floating-point errors, and nodes that define sizes are needed wherever those stand.
std::vector<bool> NeededNodes(const ir::Graph& graph, size_t first) {
  std::vector<bool> needed(graph.nodes().size());
  std::fill(needed.begin(), needed.begin() + static_cast<int64_t>(first), true);
  for (const ir::Node* output : graph.outputs()) needed[output->id] = true;
  for (size_t id = needed.size(); id-- > 0;) {
    const ir::Node& node = *graph.nodes()[id];
    if (ir::DefinedBy(node) != kNoScalar || node.op == Op::kInput) needed[id] = true;
    if (!needed[id]) continue;
    for (const ir::Node* operand : node.operands) needed[operand->id] = true;
  }
  return needed;
}

std::unique_ptr<ir::Graph> WithoutUnneeded(const ir::Graph& graph, size_t first) {
  const std::vector<bool> needed = NeededNodes(graph, first);
  auto result = std::make_unique<ir::Graph>();
  const Nodes made =
      CopyNodes(graph, *result, [&](const ir::Node& node) { return needed[node.id]; });
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const ir::Node* const target = graph.targets()[i];
    result->AddOutput(made[graph.outputs()[i]->id], target == nullptr ? nullptr : made[target->id]);
  }
  return result;
}

// The cotangents of `outputs`: inputs, or ones.
const ir::Node* MakeCotangent(ir::Graph& graph, const ir::Node& output, bool is_one) {
  if (!is_one) return graph.AddInput(output.dtype, output.shape);
  const ir::Node* const one = graph.Scalar(output.dtype, graph.scalars().Float(1.0));
  return graph.BroadcastTo(one, output.shape);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ir::Graph>> BuildJointGraph(const ir::Graph& forward,
                                                           const DerivativeOptions& options) {
  DYNACC_RETURN_IF_ERROR(CheckIndices(forward.inputs(), options.inputs, "input"));
  DYNACC_RETURN_IF_ERROR(CheckIndices(forward.outputs(), options.outputs, "output"));
  ir::Graph joint;
  const Nodes made = CopyNodes(forward, joint, [](const ir::Node&) { return true; });
  const size_t num_forward = joint.nodes().size();
  for (size_t i = 0; options.with_values && i < forward.outputs().size(); ++i) {
    const ir::Node* const target = forward.targets()[i];
    joint.AddOutput(made[forward.outputs()[i]->id], target == nullptr ? nullptr : made[target->id]);
  }
  Nodes inputs;
  for (const int index : options.inputs) inputs.push_back(joint.inputs()[index]);
  Reverse reverse(joint, inputs);
  joint.SetReported(0);
  for (const int index : options.outputs) {
    const ir::Node* const output = made[forward.outputs()[index]->id];
    reverse.Seed(output, MakeCotangent(joint, *output, options.unit_cotangents));
  }
  DYNACC_RETURN_IF_ERROR(reverse.Run());
  for (const ir::Node* input : inputs) {
    const ir::Node* const gradient = reverse.CotangentOf(input);
    joint.AddOutput(gradient != nullptr ? gradient : Zeros(joint, input->dtype, input->shape));
  }
  return WithoutUnneeded(joint, options.with_values ? num_forward : 0);
}

absl::StatusOr<std::unique_ptr<ir::Graph>> BuildTangentGraph(const ir::Graph& forward,
                                                             const DerivativeOptions& options) {
  DerivativeOptions first = options;
  first.unit_cotangents = false;
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> joint, BuildJointGraph(forward, first));
  const size_t num_inputs = forward.inputs().size();
  const size_t num_values = options.with_values ? forward.outputs().size() : 0;
  DerivativeOptions second;
  second.inputs.resize(options.outputs.size());
  std::iota(second.inputs.begin(), second.inputs.end(), static_cast<int>(num_inputs));
  second.outputs.resize(options.inputs.size());
  std::iota(second.outputs.begin(), second.outputs.end(), static_cast<int>(num_values));
  second.with_values = options.with_values;
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> twice, BuildJointGraph(*joint, second));

  // Without the cotangents of the first round, of which nothing depends.
  auto tangent = std::make_unique<ir::Graph>();
  const auto make_input = [&](ir::Graph& graph, const ir::Node& input) {
    const auto index = static_cast<size_t>(input.attrs.ints[0]);
    const bool was_first = index >= num_inputs && index < num_inputs + options.outputs.size();
    return was_first ? Zeros(graph, input.dtype, input.shape) : SameInput(graph, input);
  };
  const Nodes made = CopyNodes(
      *twice, *tangent, [](const ir::Node&) { return true; }, make_input);
  const size_t num_dropped = options.with_values ? options.inputs.size() : 0;
  for (size_t i = 0; i < twice->outputs().size(); ++i) {
    if (i >= num_values && i < num_values + num_dropped) continue;
    const ir::Node* const target = twice->targets()[i];
    tangent->AddOutput(made[twice->outputs()[i]->id],
                       target == nullptr ? nullptr : made[target->id]);
  }
  // Of what was there when the second round began, that is of f and the first round, f is first.
  return WithoutUnneeded(*tangent, options.with_values ? forward.nodes().size() : 0);
}

}  // namespace dynacc::autodiff
