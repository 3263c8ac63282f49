#include "codegen/passes/spell_out_means.h"

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "codegen/passes/graph_rewriter.h"

namespace dynacc::passes {
namespace {

bool IsHalfMean(const ir::Node& node) {
  return node.op == Op::kMean && node.dtype == DType::kFloat16 && ir::MakesCall(node);
}

bool IsMeanWithoutCall(const ir::Node& node) {
  return node.op == Op::kMean && !ir::MakesCall(node);
}

const ir::Node* SpellOut(ir::Graph& graph, const ir::Node& node, const ir::Node* operand) {
  ScalarProgram& scalars = graph.scalars();
  ScalarId count = scalars.Int(1);
  for (const int64_t axis : node.attrs.ints) {
    count = scalars.Apply(ScalarOp::kMul, count, operand->shape[axis]);
  }
  const DType wide = IsShortFloat(node.dtype) ? DType::kFloat32 : node.dtype;
  const ir::Node* const elements = graph.Cast(wide, operand);
  const ir::Node* const sum = graph.Make(
      Op::kReduceSum, wide, node.shape, {&elements, 1},
      {.ints = node.attrs.ints, .keepdims = node.attrs.keepdims, .order = node.attrs.order});
  const ir::Node* const divisor = graph.BroadcastTo(graph.Scalar(wide, count), sum->shape);
  return graph.Cast(node.dtype, graph.Binary(Op::kDivide, sum, divisor));
}

std::unique_ptr<ir::Graph> SpellOutThose(const ir::Graph& graph,
                                         bool (*is_one)(const ir::Node& node)) {
  if (absl::c_none_of(graph.nodes(), [&](const ir::Node* node) { return is_one(*node); })) {
    return nullptr;
  }
  return RewriteGraph(graph,
                      [&](ir::Graph& target, const ir::Node& node,
                          absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                        return is_one(node) ? SpellOut(target, node, operands[0]) : nullptr;
                      });
}

}  // namespace

bool HasHalfMeans(const ir::Graph& graph) {
  return absl::c_any_of(graph.nodes(), [](const ir::Node* node) { return IsHalfMean(*node); });
}

std::unique_ptr<ir::Graph> SpellOutMeans(const ir::Graph& graph) {
  return SpellOutThose(graph, IsMeanWithoutCall);
}

std::unique_ptr<ir::Graph> SpellOutHalfMeans(const ir::Graph& graph) {
  return SpellOutThose(graph, IsHalfMean);
}

}  // namespace dynacc::passes
