#include "codegen/passes/memory_order.h"

#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/ir/node_rules.h"
#include "codegen/passes/graph_rewriter.h"

namespace dynacc::passes {

namespace {

// `value` stored into `base` from `start` on.
const ir::Node* StoreAt(ir::Graph& graph, const ir::Node* base, const ir::Node* value,
                        absl::Span<const ScalarId> start) {
  std::vector<int64_t> axes(base->shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  const std::vector<ScalarId> step(base->shape.size(), graph.scalars().Int(1));
  return graph.Store(base, value, axes, start, step);
}

// An empty array into which the parts are stored.
const ir::Node* StoreParts(ir::Graph& graph, const ir::Node& concat,
                           absl::Span<const ir::Node* const> parts) {
  ScalarProgram& scalars = graph.scalars();
  const auto axis = static_cast<size_t>(concat.attrs.ints[0]);
  std::vector<ScalarId> start(concat.shape.size(), scalars.Int(0));
  const ir::Node* result = graph.Empty(concat.dtype, concat.shape);
  for (const ir::Node* part : parts) {
    result = StoreAt(graph, result, part, start);
    start[axis] = scalars.Apply(ScalarOp::kAdd, start[axis], part->shape[axis]);
  }
  return result;
}

const ir::Node* StoreCopy(ir::Graph& graph, const ir::Node* value) {
  const std::vector<ScalarId> start(value->shape.size(), graph.scalars().Int(0));
  return StoreAt(graph, graph.Empty(value->dtype, value->shape), value, start);
}

bool IsOnlyOrder(Op op) { return op == Op::kKeepOrder || op == Op::kCOrder || op == Op::kUpdate; }

// Whether the node shows its operand's memory, or would if its order were left alone.
bool ShowsOperand(const ir::Node& node) {
  return node.op == Op::kView || node.op == Op::kReshape || IsOnlyOrder(node.op) ||
         ir::IsGradientMarker(node.op);
}

// For each node, whether the array library itself reads its memory, perhaps through views, or
// memory in its order: a Store's result has its base's.
std::vector<bool> FindReadByLibrary(const ir::Graph& graph) {
  std::vector<bool> read(graph.nodes().size());
  for (auto it = graph.nodes().rbegin(); it != graph.nodes().rend(); ++it) {
    const ir::Node& node = **it;
    const bool reads =
        node.op == Op::kMatmul || ir::MakesCall(node) || (ShowsOperand(node) && read[node.id]);
    for (const ir::Node* operand : node.operands) {
      read[operand->id] = read[operand->id] || reads;
    }
    if (node.op == Op::kStore && read[node.id]) read[node.operands[0]->id] = true;
  }
  return read;
}

// For each node, whether an output of the graph shows its memory, perhaps through views.
std::vector<bool> FindShown(const ir::Graph& graph) {
  std::vector<bool> shown(graph.nodes().size());
  for (const ir::Node* output : graph.outputs()) shown[output->id] = true;
  for (auto it = graph.nodes().rbegin(); it != graph.nodes().rend(); ++it) {
    const ir::Node& node = **it;
    if (ShowsOperand(node) && shown[node.id]) shown[node.operands[0]->id] = true;
  }
  return shown;
}

// For each node, whether it computes gradients that no output asks for: the function of a custom
// gradient is traced between the cotangent that it is given and the value that has the gradient.
// Such nodes go even if they may raise, as a program's own do not. Empty: there are none.
std::vector<bool> FindUnusedPulls(const ir::Graph& graph) {
  std::vector<bool> in_pull(graph.nodes().size());
  bool has_pulls = false;
  for (const ir::Node* node : graph.nodes()) {
    if (node->op != Op::kCustomGradient) continue;
    has_pulls = true;
    for (int id = node->operands[1]->id; id < node->id; ++id) in_pull[id] = true;
  }
  // A size that a node defines may be needed by another one that does not read it.
  if (!has_pulls || graph.scalars().num_data_dependent() > 0) return {};
  std::vector<bool> needed(graph.nodes().size());
  for (const ir::Node* output : graph.outputs()) needed[output->id] = true;
  for (auto it = graph.nodes().rbegin(); it != graph.nodes().rend(); ++it) {
    const ir::Node& node = **it;
    if (!in_pull[node.id] && ir::MayRaise(node)) needed[node.id] = true;
    if (!needed[node.id]) continue;
    const size_t read = node.op == Op::kCustomGradient ? 1 : node.operands.size();
    for (size_t i = 0; i < read; ++i) needed[node.operands[i]->id] = true;
  }
  // What reads such a node, and is needed by nobody either, goes with it.
  std::vector<bool> unused(graph.nodes().size());
  for (const ir::Node* node : graph.nodes()) {
    const bool reads_unused = absl::c_any_of(
        node->operands, [&](const ir::Node* operand) { return unused[operand->id]; });
    unused[node->id] = !needed[node->id] && (in_pull[node->id] || reads_unused);
  }
  return unused;
}

// Tells reductions of one value apart by what their operand was in the traced graph.
class ReductionOrders {
 public:
  // The attributes of the traced reduction once it reads `operand`.
  ir::NodeAttrs AttrsOf(const ir::Node& node, const ir::Node* operand) {
    const ir::Node* traced = node.operands[0];
    while (ir::IsGradientMarker(traced->op)) traced = traced->operands[0];
    std::vector<const ir::Node*>& orders = orders_[operand];
    auto it = absl::c_find(orders, traced);
    if (it == orders.end()) it = orders.insert(it, traced);
    ir::NodeAttrs attrs = node.attrs;
    attrs.order = static_cast<int>(it - orders.begin());
    return attrs;
  }

 private:
  absl::flat_hash_map<const ir::Node*, std::vector<const ir::Node*>> orders_;
};

bool DependsOnOrder(const ir::Node& node) {
  return IsInexact(node.dtype) &&
         (Info(node.op).category == OpCategory::kReduction || node.op == Op::kMean);
}

}  // namespace

std::unique_ptr<ir::Graph> DropMemoryOrder(const ir::Graph& graph) {
  const std::vector<bool> read = FindReadByLibrary(graph);
  const std::vector<bool> shown = FindShown(graph);
  const std::vector<bool> unused = FindUnusedPulls(graph);
  ReductionOrders orders;
  const auto keep = [&](const ir::Node& node) { return unused.empty() || !unused[node.id]; };
  return RewriteKept(graph, keep,
                     [&](ir::Graph& target, const ir::Node& node,
                         absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                       if (node.op == Op::kConcat) return StoreParts(target, node, operands);
                       if (ir::IsGradientMarker(node.op)) return operands[0];
                       if (DependsOnOrder(node)) {
                         return target.Make(node.op, node.dtype, node.shape, operands,
                                            orders.AttrsOf(node, operands[0]));
                       }
                       if (!IsOnlyOrder(node.op)) return nullptr;
                       // What the library itself made is handed over in the order it made, and
                       // what it reads cannot lie in the memory of an output in C order.
                       const bool own = ir::MakesCall(*operands[0]) ||
                                        (shown[node.id] && read[node.operands[0]->id]);
                       const bool copied = node.op == Op::kCOrder && (read[node.id] || own);
                       return copied ? StoreCopy(target, operands[0]) : operands[0];
                     });
}

}  // namespace dynacc::passes
