// Forward mode (joint_graph.h): node by node, by the rules of reverse mode applied twice.
#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/autodiff/derivation.h"
#include "codegen/autodiff/view_adjoint.h"
#include "codegen/ir/control_flow.h"
#include "runtime/base/status_macros.h"

namespace dynacc::autodiff {
namespace {

// The derivative of one node in a direction. A rule of reverse mode makes the cotangents of the
// operands, linear in a cotangent that stands for any. The cotangent of that one, by the same
// rules, is the tangent.
class NodeTangent {
 public:
  explicit NodeTangent(ir::Graph& graph) : graph_(graph) {}

  // `tangents`: of the graph's nodes, by id; null: zero. `has`: where they are not. `node` is in
  // the graph already.
  absl::StatusOr<const ir::Node*> Of(const ir::Node& node, const Nodes& tangents,
                                     const std::vector<bool>& has) {
    const ir::Node* const cotangent = graph_.AddParameter(node.dtype, node.shape);
    const auto first = static_cast<size_t>(cotangent->id);
    Grow();
    absl::Status status = Pull(node, cotangent, has);
    Nodes seeds;
    for (const ir::Node* operand : node.operands) {
      seeds.push_back(cotangents_[operand->id]);
    }
    for (const ir::Node* operand : node.operands) cotangents_[operand->id] = nullptr;
    if (!status.ok()) return status;
    Grow();
    const size_t end = graph_.nodes().size();
    active_[first] = true;
    for (size_t id = first + 1; id < end; ++id) {
      if (DependsOn(*graph_.nodes()[id], active_)) active_[id] = true;
    }
    for (size_t i = 0; i < seeds.size(); ++i) {
      const ir::Node& operand = *node.operands[i];
      const bool is_first =
          absl::c_find(node.operands, &operand) == node.operands.begin() + static_cast<int64_t>(i);
      if (seeds[i] != nullptr && is_first) Seed(*seeds[i], tangents[operand.id]);
    }
    status = PullAll(first, end);
    const ir::Node* const tangent = cotangents_[first];
    std::fill(active_.begin() + static_cast<int64_t>(first), active_.end(), false);
    std::fill(cotangents_.begin() + static_cast<int64_t>(first), cotangents_.end(), nullptr);
    if (!status.ok()) return status;
    return tangent;
  }

 private:
  void Grow() {
    active_.resize(graph_.nodes().size());
    cotangents_.resize(graph_.nodes().size());
  }

  void Seed(const ir::Node& node, const ir::Node* cotangent) {
    if (!active_[node.id]) return;
    const ir::Node*& sum = cotangents_[node.id];
    sum = sum == nullptr ? cotangent : graph_.Binary(Op::kAdd, sum, cotangent);
  }

  absl::Status Pull(const ir::Node& node, const ir::Node* cotangent,
                    const std::vector<bool>& active) {
    const GradientRow& row = GradientOf(node.op);
    if (row.kind == GradientKind::kZero) return absl::OkStatus();
    if (row.kind == GradientKind::kNone) return NoGradient(graph_, node, row.words);
    graph_.SetLocation(node.location.file, node.location.line);
    Pullback pullback(graph_, node, cotangent, cotangents_, active);
    const absl::Status status = row.pull(pullback);
    return status.ok() ? status : NoGradient(graph_, node, status.message());
  }

  absl::Status PullAll(size_t first, size_t end) {
    for (size_t id = end; id-- > first + 1;) {
      if (cotangents_[id] == nullptr) continue;
      DYNACC_RETURN_IF_ERROR(Pull(*graph_.nodes()[id], cotangents_[id], active_));
    }
    return absl::OkStatus();
  }

  ir::Graph& graph_;
  std::vector<bool> active_;  // of the graph's nodes, by id; all false between two calls
  Nodes cotangents_;          // likewise null
};

// A graph and its tangents, made node by node.
class Forward {
 public:
  Forward(const ir::Graph& from, const DerivativeOptions& options)
      : from_(from),
        options_(options),
        result_(std::make_unique<ir::Graph>()),
        node_tangent_(*result_),
        made_(from.nodes().size()) {
    result_->scalars() = from.scalars();
    FindWanted();
  }

  absl::StatusOr<std::unique_ptr<ir::Graph>> Run() {
    MakeInputs();
    for (const ir::Node* node : from_.nodes()) {
      if (node->op != Op::kInput) DYNACC_RETURN_IF_ERROR(Make(*node));
    }
    for (const ScalarId condition : from_.conditions()) result_->AddCondition(condition);
    AddOutputs();
    return WithoutUnneeded(*result_, [&](const ir::Node& node) {
      return options_.with_values && is_value_.size() > static_cast<size_t>(node.id) &&
             is_value_[node.id];
    });
  }

 private:
  // Only what the wanted outputs depend on needs a tangent: of a value with a gradient of its own
  // the arguments, not what it is computed by.
  void FindWanted() {
    wanted_.resize(from_.nodes().size());
    for (const int index : options_.outputs) wanted_[from_.outputs()[index]->id] = true;
    for (size_t id = wanted_.size(); id-- > 0;) {
      if (!wanted_[id]) continue;
      const ir::Node& node = *from_.nodes()[id];
      const bool is_custom = node.op == Op::kCustomGradient;
      for (size_t i = is_custom ? 2 : 0; i < node.operands.size(); i += is_custom ? 2 : 1) {
        wanted_[OperandRead(node, i)->id] = true;
      }
    }
  }

  void MakeInputs() {
    for (const ir::Node* input : from_.inputs()) {
      Made(*input, result_->AddInput(input->dtype, input->shape));
    }
    result_->SetReported(0);
    for (const int index : options_.inputs) {
      const ir::Node& input = *from_.inputs()[index];
      SetTangent(made_[input.id], result_->AddInput(input.dtype, input.shape));
    }
  }

  void Made(const ir::Node& node, const ir::Node* as) {
    made_[node.id] = as;
    is_value_.resize(result_->nodes().size());
    is_value_[as->id] = true;
  }

  const ir::Node* TangentOf(const ir::Node* made) const {
    return static_cast<size_t>(made->id) < tangents_.size() ? tangents_[made->id] : nullptr;
  }
  void SetTangent(const ir::Node* made, const ir::Node* tangent) {
    tangents_.resize(result_->nodes().size());
    has_tangent_.resize(result_->nodes().size());
    tangents_[made->id] = tangent;
    has_tangent_[made->id] = tangent != nullptr;
  }

  absl::Status Make(const ir::Node& node) {
    Nodes operands, tangents;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      operands.push_back(made_[OperandRead(node, i)->id]);
      tangents.push_back(TangentOf(operands.back()));
    }
    result_->SetLocation(node.location.file, node.location.line);
    result_->SetReported(from_.ReportedBy(&node));
    if (node.op == Op::kResult) return MakeResult(node);
    const bool has_tangent =
        wanted_[node.id] &&
        absl::c_any_of(tangents, [](const ir::Node* one) { return one != nullptr; }) &&
        GradientOf(node.op).kind != GradientKind::kZero;
    const ir::Node* const made =
        result_->Make(node.op, node.dtype, node.shape, operands, node.attrs);
    if (has_tangent && ir::HasSubgraphs(node)) return MakeControlFlow(node, *made, tangents);
    Made(node, made);
    if (!has_tangent || !IsInexact(node.dtype)) return absl::OkStatus();
    result_->SetReported(0);
    SetTangent(made, nullptr);
    DYNACC_ASSIGN_OR_RETURN(const ir::Node* const tangent,
                            node_tangent_.Of(*made, tangents_, has_tangent_));
    SetTangent(made, tangent);
    return absl::OkStatus();
  }

  // One node gives the results and their tangents.
  absl::Status MakeControlFlow(const ir::Node& node, const ir::Node& made, const Nodes& tangents) {
    absl::StatusOr<TangentNode> both = TangentOfControlFlow(*result_, made, tangents);
    if (absl::IsUnimplemented(both.status())) return both.status();
    DYNACC_RETURN_IF_ERROR(both.status());
    Made(node, both->node);
    SetTangent(both->node, both->tangents[0]);
    with_tangents_[&node] = *std::move(both);
    return absl::OkStatus();
  }

  absl::Status MakeResult(const ir::Node& node) {
    const ir::ResultPlace place = ir::PlaceOfResult(node);
    const auto found = with_tangents_.find(place.control);
    if (found == with_tangents_.end()) {
      Made(node, ir::ResultOf(*result_, made_[place.control->id], place.index));
      return absl::OkStatus();
    }
    const TangentNode& both = found->second;
    Made(node, ir::ResultOf(*result_, both.node, both.places[place.index]));
    SetTangent(made_[node.id], both.tangents[place.index]);
    return absl::OkStatus();
  }

  void AddOutputs() {
    for (size_t i = 0; options_.with_values && i < from_.outputs().size(); ++i) {
      const ir::Node* const target = from_.targets()[i];
      result_->AddOutput(made_[from_.outputs()[i]->id],
                         target == nullptr ? nullptr : made_[target->id]);
    }
    for (const int index : options_.outputs) {
      const ir::Node& output = *from_.outputs()[index];
      const ir::Node* const tangent = TangentOf(made_[output.id]);
      result_->AddOutput(tangent != nullptr ? tangent
                                            : Zeros(*result_, output.dtype, output.shape));
    }
  }

  const ir::Graph& from_;
  const DerivativeOptions& options_;
  std::unique_ptr<ir::Graph> result_;
  NodeTangent node_tangent_;
  std::vector<bool> wanted_;
  Nodes made_;                     // by the ids of `from_`
  Nodes tangents_;                 // by the ids of `result_`
  std::vector<bool> has_tangent_;  // likewise
  std::vector<bool> is_value_;     // likewise: whether it is one of `from_`
  absl::flat_hash_map<const ir::Node*, TangentNode> with_tangents_;  // by nodes of `from_`
};

}  // namespace

absl::StatusOr<std::unique_ptr<ir::Graph>> BuildTangentGraph(const ir::Graph& forward,
                                                             const DerivativeOptions& options) {
  DYNACC_RETURN_IF_ERROR(CheckOptions(forward, options));
  return Forward(forward, options).Run();
}

}  // namespace dynacc::autodiff
