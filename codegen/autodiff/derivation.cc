#include "codegen/autodiff/derivation.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/graph_text.h"
#include "runtime/base/status_macros.h"

namespace dynacc::autodiff {
namespace {

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

// Whether it is an input of the graph, and not a leaf that stood for something.
bool IsInput(const ir::Node& node) { return node.op == Op::kInput && node.attrs.ints[0] >= 0; }

}  // namespace

absl::Status CheckOptions(const ir::Graph& graph, const DerivativeOptions& options) {
  DYNACC_RETURN_IF_ERROR(CheckIndices(graph.inputs(), options.inputs, "input"));
  return CheckIndices(graph.outputs(), options.outputs, "output");
}

absl::Status NoGradient(const ir::Graph& graph, const ir::Node& node, absl::string_view why) {
  return absl::UnimplementedError(absl::StrCat(
      "no gradient is known of ", Describe(graph, node), ": ", why,
      ". If it counts as a constant, wrap its result in dynacc.stop_gradient; otherwise write it "
      "with functions that docs/gradients.md lists"));
}

bool DependsOn(const ir::Node& node, const std::vector<bool>& active) {
  if (GradientOf(node.op).kind == GradientKind::kZero) return false;
  // Of several results the first may be of ints.
  if (!IsInexact(node.dtype) && !ir::HasSubgraphs(node)) return false;
  return absl::c_any_of(node.operands,
                        [&](const ir::Node* operand) { return active[operand->id]; });
}

Nodes CopyNodes(const ir::Graph& graph, ir::Graph& copy,
                absl::FunctionRef<bool(const ir::Node&)> keep) {
  copy.scalars() = graph.scalars();
  Nodes made(graph.nodes().size()), operands;
  for (const ir::Node* node : graph.nodes()) {
    if (!keep(*node)) continue;
    operands.clear();
    for (const ir::Node* operand : node->operands) operands.push_back(made[operand->id]);
    copy.SetLocation(node->location.file, node->location.line);
    copy.SetReported(graph.ReportedBy(node));
    made[node->id] = copy.Make(node->op, node->dtype, node->shape, operands, node->attrs);
  }
  for (const ScalarId condition : graph.conditions()) copy.AddCondition(condition);
  return made;
}

std::unique_ptr<ir::Graph> WithoutUnneeded(const ir::Graph& graph,
                                           absl::FunctionRef<bool(const ir::Node&)> tells) {
  std::vector<bool> needed(graph.nodes().size());
  for (const ir::Node* output : graph.outputs()) needed[output->id] = true;
  for (size_t id = needed.size(); id-- > 0;) {
    const ir::Node& node = *graph.nodes()[id];
    if (ir::DefinedBy(node) != kNoScalar || IsInput(node) || tells(node)) needed[id] = true;
    if (!needed[id]) continue;
    for (const ir::Node* operand : node.operands) needed[operand->id] = true;
  }
  auto result = std::make_unique<ir::Graph>();
  const Nodes made =
      CopyNodes(graph, *result, [&](const ir::Node& node) { return needed[node.id]; });
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const ir::Node* const target = graph.targets()[i];
    result->AddOutput(made[graph.outputs()[i]->id], target == nullptr ? nullptr : made[target->id]);
  }
  return result;
}

}  // namespace dynacc::autodiff
