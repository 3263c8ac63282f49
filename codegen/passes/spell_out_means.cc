#include "codegen/passes/spell_out_means.h"

#include <numeric>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "codegen/passes/graph_rewriter.h"
#include "runtime/executor/library_call_meaning.h"

namespace dynacc::passes {
namespace {

std::optional<executor::MeanCall> Float16Mean(const ir::Node& node) {
  if (node.op != Op::kLibraryCall || node.dtype != DType::kFloat16) return std::nullopt;
  if (node.operands.size() != 1 || node.operands[0]->dtype != node.dtype) return std::nullopt;
  return executor::FindMeanCall(node.attrs.ints[0]);
}

std::vector<int64_t> AxesOf(const executor::MeanCall& mean, int rank) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (!mean.axes.has_value()) return axes;
  axes.clear();
  for (const int axis : *mean.axes) axes.push_back(axis < 0 ? axis + rank : axis);
  absl::c_sort(axes);
  return axes;
}

const ir::Node* SpellOut(ir::Graph& graph, const ir::Node& node, const executor::MeanCall& mean,
                         const ir::Node* operand) {
  ScalarProgram& scalars = graph.scalars();
  const std::vector<int64_t> axes = AxesOf(mean, operand->rank());
  ScalarId count = scalars.Int(1);
  for (const int64_t axis : axes) {
    count = scalars.Apply(ScalarOp::kMul, count, operand->shape[axis]);
  }
  const bool keeps_axes = node.rank() == operand->rank();
  const ir::Node* const sum =
      graph.Reduce(Op::kReduceSum, graph.Cast(DType::kFloat32, operand), axes, keeps_axes);
  const ir::Node* const divisor =
      graph.BroadcastTo(graph.Scalar(DType::kFloat32, count), sum->shape);
  return graph.Cast(node.dtype, graph.Binary(Op::kDivide, sum, divisor));
}

}  // namespace

bool HasFloat16Means(const ir::Graph& graph) {
  return absl::c_any_of(graph.nodes(),
                        [](const ir::Node* node) { return Float16Mean(*node).has_value(); });
}

std::unique_ptr<ir::Graph> SpellOutMeans(const ir::Graph& graph) {
  return RewriteGraph(graph,
                      [](ir::Graph& target, const ir::Node& node,
                         absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                        const std::optional<executor::MeanCall> mean = Float16Mean(node);
                        return mean ? SpellOut(target, node, *mean, operands[0]) : nullptr;
                      });
}

}  // namespace dynacc::passes
