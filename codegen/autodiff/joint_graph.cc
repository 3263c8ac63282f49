#include "codegen/autodiff/joint_graph.h"

#include "codegen/autodiff/derivation.h"
#include "codegen/autodiff/gradient_rules.h"
#include "codegen/autodiff/view_adjoint.h"
#include "runtime/base/status_macros.h"

namespace dynacc::autodiff {
namespace {

// Reverse mode over the nodes that a graph has when it begins; what it makes comes behind them.
class Reverse {
 public:
  Reverse(ir::Graph& graph, absl::Span<const ir::Node* const> inputs)
      : graph_(graph),
        num_nodes_(graph.nodes().size()),
        cotangents_(num_nodes_),
        active_(num_nodes_) {
    for (const ir::Node* input : inputs) active_[input->id] = true;
    for (size_t id = 0; id < num_nodes_; ++id) {
      if (DependsOn(*graph.nodes()[id], active_)) active_[id] = true;
    }
  }

  void Seed(const ir::Node* output, const ir::Node* cotangent) {
    if (!active_[output->id]) return;
    const ir::Node*& sum = cotangents_[output->id];
    sum = sum == nullptr ? cotangent : AddCotangents(graph_, sum, cotangent);
  }

  absl::Status Run() {
    std::vector<bool> result_has(num_nodes_);  // of nodes with several results
    for (size_t id = num_nodes_; id-- > 0;) {
      const ir::Node& node = *graph_.nodes()[id];
      const GradientRow& row = GradientOf(node.op);
      const bool has = cotangents_[id] != nullptr || result_has[id];
      if (!has || row.kind == GradientKind::kZero) continue;
      if (node.op == Op::kResult) result_has[node.operands[0]->id] = true;
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
  ir::Graph& graph_;
  const size_t num_nodes_;
  Nodes cotangents_;
  std::vector<bool> active_;
};

// The cotangents of `outputs`: inputs, or ones.
const ir::Node* MakeCotangent(ir::Graph& graph, const ir::Node& output, bool is_one) {
  if (!is_one) return graph.AddInput(output.dtype, output.shape);
  const ir::Node* const one = graph.Scalar(output.dtype, graph.scalars().Float(1.0));
  return graph.BroadcastTo(one, output.shape);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ir::Graph>> BuildJointGraph(const ir::Graph& given,
                                                           const DerivativeOptions& options) {
  DYNACC_RETURN_IF_ERROR(CheckOptions(given, options));
  const std::unique_ptr<ir::Graph> saving = SaveCarries(given, options.inputs);
  const ir::Graph& forward = saving == nullptr ? given : *saving;
  ir::Graph joint;
  const Nodes made = CopyNodes(forward, joint, [](const ir::Node&) { return true; });
  const auto num_forward = static_cast<int32_t>(joint.nodes().size());
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
  return WithoutUnneeded(
      joint, [&](const ir::Node& node) { return options.with_values && node.id < num_forward; });
}

}  // namespace dynacc::autodiff
