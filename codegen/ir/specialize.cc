#include "codegen/ir/specialize.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/verifier.h"
#include "runtime/base/status_macros.h"

namespace dynacc::ir {
namespace {

class Specializer {
 public:
  Specializer(const Graph& graph, std::vector<ScalarValue> values)
      : graph_(graph), values_(std::move(values)), result_(std::make_unique<Graph>()) {}

  // Only what `node` needs.
  std::unique_ptr<Graph> RunFor(const Node* output) {
    std::vector<bool> needed(graph_.nodes().size());
    needed[output->id] = true;
    for (auto id = static_cast<size_t>(output->id) + 1; id-- > 0;) {
      if (!needed[id]) continue;
      const Node* const node = graph_.nodes()[id];
      for (const Node* operand : node->operands) {
        needed[operand->id] = true;
        if (node->op == Op::kCustomGradient) break;
      }
    }
    for (const Node* node : graph_.nodes()) {
      const bool is_input = node->op == Op::kInput && node->attrs.ints[0] >= 0;  // no parameter
      const bool is_kept = needed[node->id] || is_input;
      // Of a value with a gradient of its own the value: what gives the gradient may fail.
      const bool is_value = is_kept && node->op == Op::kCustomGradient;
      nodes_.push_back(is_value ? nodes_[node->operands[0]->id] : is_kept ? Copy(*node) : nullptr);
    }
    result_->AddOutput(nodes_[output->id]);
    for (const ScalarId condition : graph_.conditions()) {
      const bool is_data_dependent = graph_.scalars().Level(condition) > 0;
      if (is_data_dependent && IsKnown(condition)) result_->AddCondition(Constant(condition));
    }
    return std::move(result_);
  }

  std::unique_ptr<Graph> Run() {
    for (const Node* node : graph_.nodes()) nodes_.push_back(Copy(*node));
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const Node* target = graph_.targets()[i];
      result_->AddOutput(nodes_[graph_.outputs()[i]->id],
                         target == nullptr ? nullptr : nodes_[target->id]);
    }
    return std::move(result_);
  }

 private:
  ScalarId Constant(ScalarId id) {
    if (id == kNoScalar) return id;
    if (graph_.scalars().Level(id) > 0) return DataDependent(id);
    const ScalarValue& value = values_[id];
    switch (graph_.scalars().expr(id).type) {
      case ScalarType::kInt:
        return result_->scalars().Int(value.i);
      case ScalarType::kFloat:
        return result_->scalars().Float(value.f);
      case ScalarType::kBool:
        return result_->scalars().Bool(value.i != 0);
    }
    return kNoScalar;
  }

  // An expression of numbers that only the run tells. They become known in the same order.
  ScalarId DataDependent(ScalarId id) {
    if (const auto known = data_dependent_.find(id); known != data_dependent_.end())
      return known->second;
    const ScalarExpr& expr = graph_.scalars().expr(id);
    const ScalarId made =
        expr.op == ScalarOp::kDataDependent
            ? result_->scalars().AddDataDependent()
            : result_->scalars().Apply(expr.op, Constant(expr.a), Constant(expr.b));
    data_dependent_[id] = made;
    return made;
  }

  // Whether a run of the result tells the expression's value.
  bool IsKnown(ScalarId id) const {
    if (id == kNoScalar || graph_.scalars().Level(id) == 0) return true;
    const ScalarExpr& expr = graph_.scalars().expr(id);
    if (expr.op == ScalarOp::kDataDependent) return data_dependent_.contains(id);
    return IsKnown(expr.a) && IsKnown(expr.b);
  }

  std::vector<ScalarId> Constants(absl::Span<const ScalarId> ids) {
    std::vector<ScalarId> constants;
    for (const ScalarId id : ids) constants.push_back(Constant(id));
    return constants;
  }

  const Node* Copy(const Node& node) {
    result_->SetLocation(node.location.file, node.location.line);
    result_->SetReported(graph_.ReportedBy(&node));
    const std::vector<ScalarId> shape = Constants(node.shape);
    if (node.op == Op::kInput) return result_->AddInput(node.dtype, shape);
    std::vector<const Node*> operands;
    for (const Node* operand : node.operands) operands.push_back(nodes_[operand->id]);
    const std::vector<ScalarId> scalars = Constants(node.attrs.scalars);
    NodeAttrs attrs = node.attrs;
    attrs.scalars = scalars;
    return result_->Make(node.op, node.dtype, shape, operands, attrs);
  }

  const Graph& graph_;
  const std::vector<ScalarValue> values_;
  std::unique_ptr<Graph> result_;
  std::vector<const Node*> nodes_;  // of the result, by the id in graph_
  absl::flat_hash_map<ScalarId, ScalarId> data_dependent_;
};

// The values of the graph's expressions, but for those of numbers that only the run tells.
absl::StatusOr<std::vector<ScalarValue>> ValuesOf(const Graph& graph,
                                                  absl::Span<const ScalarValue> inputs) {
  const ScalarProgram& program = graph.scalars();
  if (static_cast<int>(inputs.size()) != program.num_inputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the graph takes ", program.num_inputs(), " numbers, not ", inputs.size()));
  }
  std::vector<ScalarValue> values(program.size());
  if (!program.Evaluate(inputs, absl::MakeSpan(values))) {
    return absl::InvalidArgumentError("an expression of these numbers has no value");
  }
  for (const ScalarId condition : graph.conditions()) {
    if (program.Level(condition) == 0 && values[condition].i == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the graph requires that ", program.ToString(condition)));
    }
  }
  return values;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Graph>> SpecializeGraph(const Graph& graph,
                                                       absl::Span<const ScalarValue> inputs) {
  if (graph.scalars().num_data_dependent() > 0) {
    return absl::InvalidArgumentError("the graph has sizes that only its run tells");
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<ScalarValue> values, ValuesOf(graph, inputs));
  std::unique_ptr<Graph> result = Specializer(graph, std::move(values)).Run();
  DYNACC_RETURN_IF_ERROR(VerifyGraph(*result));
  return result;
}

absl::StatusOr<std::unique_ptr<Graph>> SpecializeNode(const Graph& graph, const Node* node,
                                                      absl::Span<const ScalarValue> inputs) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<ScalarValue> values, ValuesOf(graph, inputs));
  std::unique_ptr<Graph> result = Specializer(graph, std::move(values)).RunFor(node);
  DYNACC_RETURN_IF_ERROR(VerifyGraph(*result));
  return result;
}

}  // namespace dynacc::ir
