// Common subexpressions across views: a function of a slice is the slice of the function, where the
// graph gives that anyway.
//
//   y = exp(x); return y, exp(x[2:5]) * 2  ->  return y, y[2:5] * 2
//
// Only functions that a library's loop computes: reading what was computed costs more than
// arithmetic does. Only slices whose elements lie side by side as x's do, so that a loop gives the
// same bits for both, and only where no error is reported of the slice alone. What is returned is
// an array of its own.
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

using Key = std::pair<Op, const ir::Node*>;

bool IsOfLibrary(const ir::Node& node) {
  return Info(node.op).category == OpCategory::kUnary &&
         !IsEmitted(node.op, node.operands[0]->dtype);
}

// Whether the map keeps all axes, in their order, with steps of 1.
bool IsSlice(const ScalarProgram& scalars, const ViewMap& map) {
  if (map.axis.size() != map.start.size()) return false;
  for (size_t d = 0; d < map.axis.size(); ++d) {
    int64_t step;
    if (map.axis[d] != static_cast<int64_t>(d)) return false;
    if (!scalars.IsIntConst(map.step[d], &step) || step != 1) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<ir::Graph> ReuseViews(const ir::Graph& graph) {
  absl::flat_hash_map<Key, const ir::Node*> given;  // outputs, by what computes them
  std::vector<bool> is_output(graph.nodes().size());
  for (const ir::Node* output : graph.outputs()) {
    is_output[output->id] = true;
    if (IsOfLibrary(*output)) given[{output->op, output->operands[0]}] = output;
  }
  if (given.empty()) return nullptr;
  absl::flat_hash_map<const ir::Node*, const ir::Node*> made;  // those outputs in the new graph
  bool changes = false;
  auto result = RewriteGraph(
      graph,
      [&](ir::Graph& target, const ir::Node& node,
          absl::Span<const ir::Node* const> operands) -> const ir::Node* {
        if (!IsOfLibrary(node)) return nullptr;
        const ir::Node& operand = *node.operands[0];
        const auto same = given.find({node.op, &operand});
        if (same != given.end()) {
          return made[&node] = target.Make(node.op, node.dtype, node.shape, operands, node.attrs);
        }
        if (is_output[node.id] || operand.op != Op::kView) return nullptr;
        if (!IsSlice(graph.scalars(), MapOf(operand))) return nullptr;
        const auto whole = given.find({node.op, operand.operands[0]});
        if (whole == given.end() || !made.contains(whole->second)) return nullptr;
        const uint32_t unseen = graph.ReportedBy(&node) & ~graph.ReportedBy(whole->second);
        if (unseen != 0 && ir::MayRaise(node)) return nullptr;
        changes = true;
        return MakeView(target, made.at(whole->second), MapOf(operand));
      });
  return changes ? std::move(result) : nullptr;
}

}  // namespace dynacc::passes
