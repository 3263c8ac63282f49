#include "codegen/ir/subgraph.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/node_rules.h"
#include "runtime/base/check.h"
#include "runtime/scalar/append_program.h"

namespace dynacc::ir {
namespace {

// A number, or a view or conversion of one: it is made again rather than handed over.
bool IsConstant(const Node& node) {
  const Node* at = &node;
  while (at->op == Op::kView || at->op == Op::kReshape || at->op == Op::kCast) {
    at = at->operands[0];
  }
  return Info(at->op).category == OpCategory::kLeaf && at->op != Op::kInput;
}

bool IsParameter(const Region& region, const Node& node) {
  return absl::c_linear_search(region.parameters, &node);
}

// Nodes that an earlier region has made first are inside, too: outside, they would always run.
bool IsInside(const Region& region, const Node& node) {
  return region.graph->RegionsAround(&node) >= region.depth && node.op != Op::kInput &&
         !IsParameter(region, node);
}

// The nodes that the region's outputs need, and those that may warn or raise without being needed.
std::vector<bool> NodesInside(const Region& region) {
  const absl::Span<const Node* const> nodes = region.graph->nodes();
  std::vector<bool> inside(nodes.size());
  for (const Node* output : region.outputs) {
    inside[output->id] =
        IsInside(region, *output) || (IsConstant(*output) && !IsParameter(region, *output));
  }
  for (const Node* node : region.asked) {
    const bool is_seen = MakesCall(*node) || region.graph->ReportedBy(node) != 0;
    if (IsInside(region, *node) && is_seen && MayRaise(*node)) inside[node->id] = true;
  }
  for (size_t id = nodes.size(); id-- > 0;) {
    const Node& node = *nodes[id];
    if (!inside[id]) continue;
    for (const Node* operand : node.operands) {
      const bool is_constant = IsConstant(*operand) && !IsParameter(region, *operand);
      if (IsInside(region, *operand) || is_constant) inside[operand->id] = true;
    }
  }
  return inside;
}

// Makes nodes of one graph in another one.
class Copier {
 public:
  // `number`: the expression of `to` for an input or data-dependent number of `from`.
  Copier(const Graph& from, Graph& to) : from_(from), to_(to), made_(from.nodes().size()) {}

  void Set(const Node* node, const Node* as) { made_[node->id] = as; }
  const Node* Of(const Node* node) const { return made_[node->id]; }
  std::vector<const Node*> TakeAll() { return std::move(made_); }

  template <typename Leaf>
  void Copy(const Node& node, Leaf leaf) {
    operands_.clear();
    for (const Node* operand : node.operands) operands_.push_back(made_[operand->id]);
    const ShapeVector shape = Mapped(node.shape, leaf);
    const ShapeVector scalars = Mapped(node.attrs.scalars, leaf);
    NodeAttrs attrs = node.attrs;
    attrs.scalars = scalars;
    to_.SetLocation(node.location.file, node.location.line);
    to_.SetReported(from_.ReportedBy(&node));
    made_[node.id] = to_.Make(node.op, node.dtype, shape, operands_, attrs);
  }

  template <typename Leaf>
  ShapeVector Mapped(absl::Span<const ScalarId> ids, Leaf leaf) {
    ShapeVector mapped;
    for (const ScalarId id : ids) mapped.push_back(Scalar(id, leaf));
    return mapped;
  }

 private:
  // Only what is asked for is made, so that a subgraph takes no number that it does not need.
  template <typename Leaf>
  ScalarId Scalar(ScalarId id, Leaf leaf) {
    if (id == kNoScalar) return id;
    if (const auto known = scalars_.find(id); known != scalars_.end()) return known->second;
    const ScalarExpr& expr = from_.scalars().expr(id);
    ScalarId made;
    if (expr.op == ScalarOp::kConst) {
      made = Constant(to_.scalars(), expr.type, expr.value);
    } else if (expr.op == ScalarOp::kInput || expr.op == ScalarOp::kDataDependent) {
      made = leaf(id, expr);
    } else {
      const ScalarId a = Scalar(expr.a, leaf);
      const ScalarId b = Scalar(expr.b, leaf);
      made = to_.scalars().Apply(expr.op, a, b);
    }
    scalars_[id] = made;
    return made;
  }

  const Graph& from_;
  Graph& to_;
  std::vector<const Node*> made_;
  std::vector<const Node*> operands_;
  absl::flat_hash_map<ScalarId, ScalarId> scalars_;
};

}  // namespace

void FindLifted(const Region& region, std::vector<const Node*>& lifted) {
  const std::vector<bool> inside = NodesInside(region);
  const auto lift = [&](const Node* node) {
    const bool is_known = inside[node->id] || absl::c_linear_search(region.parameters, node) ||
                          absl::c_linear_search(lifted, node);
    if (!is_known) lifted.push_back(node);
  };
  for (const Node* node : region.graph->nodes()) {
    if (inside[node->id]) absl::c_for_each(node->operands, lift);
  }
  absl::c_for_each(region.outputs, lift);
}

bool IsEmpty(const Region& region) { return !absl::c_linear_search(NodesInside(region), true); }

std::shared_ptr<Graph> MakeSubgraph(const Region& region, absl::Span<const Node* const> inputs,
                                    std::vector<ScalarId>& numbers) {
  auto result = std::make_shared<Graph>();
  const auto leaf = [&](ScalarId id, const ScalarExpr& expr) {
    numbers.push_back(id);
    return result->scalars().AddInput(expr.type);
  };
  Copier copier(*region.graph, *result);
  for (const Node* input : inputs) {
    copier.Set(input, result->AddInput(input->dtype, copier.Mapped(input->shape, leaf)));
  }
  const std::vector<bool> inside = NodesInside(region);
  for (const Node* node : region.graph->nodes()) {
    if (inside[node->id] && copier.Of(node) == nullptr) copier.Copy(*node, leaf);
  }
  result->SetLocation("", 0);
  for (const Node* output : region.outputs) {
    const Node* const made = copier.Of(output);
    DYNACC_CHECK(made != nullptr) << "an output of a subgraph that is none of its inputs";
    result->AddOutput(result->Copied(Op::kCOrder, made));
  }
  return result;
}

std::shared_ptr<Graph> GraphOfNode(const Graph& graph, const Node& node,
                                   absl::Span<const Node* const> inputs,
                                   std::vector<ScalarId>& numbers) {
  const Region region = {&graph, 0, {inputs.begin(), inputs.end()}, {&node}};
  std::shared_ptr<Graph> made = MakeSubgraph(region, inputs, numbers);
  const Node* const control = made->outputs()[0]->operands[0];
  for (int64_t i = 1; HasSubgraphs(node) && i < NumResults(node); ++i) {
    made->AddOutput(made->Copied(Op::kCOrder, ResultOf(*made, control, i)));
  }
  return made;
}

std::vector<const Node*> InlineNodes(const Graph& from, Graph& to,
                                     absl::Span<const Node* const> inputs,
                                     absl::Span<const ScalarId> numbers) {
  const auto leaf = [&](ScalarId, const ScalarExpr& expr) {
    DYNACC_CHECK(expr.op == ScalarOp::kInput) << "a subgraph with data-dependent sizes";
    return numbers[expr.value.i];
  };
  Copier copier(from, to);
  for (size_t i = 0; i < inputs.size(); ++i) copier.Set(from.inputs()[i], inputs[i]);
  for (const Node* node : from.nodes()) {
    if (node->op != Op::kInput) copier.Copy(*node, leaf);
  }
  return copier.TakeAll();
}

std::vector<const Node*> InlineGraph(const Graph& from, Graph& to,
                                     absl::Span<const Node* const> inputs,
                                     absl::Span<const ScalarId> numbers) {
  const std::vector<const Node*> made = InlineNodes(from, to, inputs, numbers);
  std::vector<const Node*> outputs;
  for (const Node* output : from.outputs()) outputs.push_back(made[output->id]);
  return outputs;
}

}  // namespace dynacc::ir
