#include "codegen/batching/batch_graph.h"

#include <array>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/batching/batching_rules.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/rows_of_ops.h"
#include "runtime/base/status_macros.h"
#include "runtime/ops/registered_ops.h"
#include "runtime/scalar/append_program.h"

namespace dynacc::batching {
namespace {

#define DYNACC_RULE_kLeaf(name) nullptr
#define DYNACC_RULE_kElementwise(name) BatchElementwise
#define DYNACC_RULE_kSlices(name) BatchSlices
#define DYNACC_RULE_kRefused(name) BatchRefused
#define DYNACC_RULE_kStructural(name) Batch##name
#define DYNACC_BATCHING(name, kind, words) {Op::k##name, DYNACC_RULE_##kind(name), words},
constexpr BatchingRow kRows[] = {
#include "codegen/batching/batching.def"
};
#undef DYNACC_BATCHING

constexpr BatchingRow kElementwise = {Op::kInput, BatchElementwise, "element by element"};

using RowsByOp = std::array<BatchingRow, std::size(ir::kOpsInOrder)>;

constexpr RowsByOp MakeRowsByOp() {
  RowsByOp rows = {};
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto [op, category] = ir::kOpsInOrder[i];
    const bool is_elementwise = category == OpCategory::kUnary || category == OpCategory::kBinary;
    rows[i] = kElementwise;
    for (const BatchingRow& row : kRows) {
      if (row.op == op) rows[i] = row;
    }
    if (is_elementwise) rows[i].op = op;
  }
  return rows;
}

constexpr RowsByOp kRowsByOp = MakeRowsByOp();
static_assert(ir::HasARowOfEachOp(kRowsByOp),
              "batching.def needs a row of each op that is neither unary nor binary");

class Batcher {
 public:
  Batcher(const ir::Graph& from, ir::Graph& to, absl::Span<const Batched> inputs,
          absl::Span<const ScalarId> numbers, ScalarId size)
      : from_(from), to_(to), inputs_(inputs), size_(size), made_(from.nodes().size()) {
    const auto leaf = [&](ScalarId, const ScalarExpr& expr) {
      return expr.op == ScalarOp::kInput ? numbers[expr.value.i] : to_.scalars().Int(0);
    };
    AppendProgram(from.scalars(), to.scalars(), leaf, scalars_);
  }

  absl::StatusOr<std::vector<Batched>> Run() {
    if (from_.scalars().num_data_dependent() > 0) {
      return absl::UnimplementedError("an array whose size depends on values is not batched");
    }
    for (const ir::Node* node : from_.nodes()) {
      to_.SetLocation(node->location.file, node->location.line);
      to_.SetReported(from_.ReportedBy(node));
      DYNACC_RETURN_IF_ERROR(Make(*node));
    }
    std::vector<Batched> outputs;
    for (const ir::Node* output : from_.outputs()) outputs.push_back(made_[output->id]);
    return outputs;
  }

 private:
  absl::Status Make(const ir::Node& node) {
    if (node.op == Op::kInput) {
      made_[node.id] = inputs_[node.attrs.ints[0]];
      return absl::OkStatus();
    }
    if (node.op == Op::kResult && results_.contains(node.operands[0]->id)) {
      made_[node.id] = results_[node.operands[0]->id][node.attrs.ints[0]];
      return absl::OkStatus();
    }
    std::vector<Batched> operands;
    for (const ir::Node* operand : node.operands) operands.push_back(made_[operand->id]);
    const bool is_batched = absl::c_any_of(operands, [](Batched one) { return one.has_axis; });
    const Batch batch = {from_,
                         node,
                         to_,
                         operands,
                         size_,
                         scalars_,
                         Mapped(node.shape),
                         Mapped(node.attrs.scalars)};
    if (!is_batched) {
      made_[node.id] = {Copy(batch), false};
      return absl::OkStatus();
    }
    Results results = BatchingOf(node.op).rule(batch);
    if (absl::IsUnimplemented(results.status())) {
      const ir::SourceLocation at = node.location;
      return absl::UnimplementedError(
          absl::StrCat("'", ir::PrintNode(from_, node), "'",
                       *at.file == '\0' ? "" : absl::StrCat(" at ", at.file, ":", at.line), ": ",
                       results.status().message()));
    }
    if (!results.ok()) return results.status();
    made_[node.id] = results->front();
    if (!node.attrs.subgraphs.empty()) results_[node.id] = *std::move(results);
    return absl::OkStatus();
  }

  const ir::Node* Copy(const Batch& batch) {
    std::vector<const ir::Node*> nodes;
    for (const Batched& operand : batch.operands) nodes.push_back(operand.node);
    ir::NodeAttrs attrs = batch.node.attrs;
    attrs.scalars = batch.scalars;
    return to_.Make(batch.node.op, batch.node.dtype, batch.shape, nodes, attrs);
  }

  ir::ShapeVector Mapped(absl::Span<const ScalarId> ids) const {
    ir::ShapeVector mapped;
    for (const ScalarId id : ids) mapped.push_back(id == kNoScalar ? id : scalars_[id]);
    return mapped;
  }

  const ir::Graph& from_;
  ir::Graph& to_;
  const absl::Span<const Batched> inputs_;
  const ScalarId size_;
  std::vector<Batched> made_;                                   // of the nodes of `from_`
  std::vector<ScalarId> scalars_;                               // of `to_`, by the ids of `from_`
  absl::flat_hash_map<int32_t, std::vector<Batched>> results_;  // of nodes that run graphs
};

}  // namespace

const BatchingRow& BatchingOf(Op op) {
  return IsRegistered(op) ? kElementwise : kRowsByOp[static_cast<size_t>(op)];
}

absl::StatusOr<std::vector<Batched>> BatchInto(const ir::Graph& from, ir::Graph& to,
                                               absl::Span<const Batched> inputs,
                                               absl::Span<const ScalarId> numbers, ScalarId size) {
  return Batcher(from, to, inputs, numbers, size).Run();
}

const ir::Node* WithBatchAxis(ir::Graph& graph, Batched value, ScalarId size) {
  if (value.has_axis) return value.node;
  ir::ShapeVector shape = {size};
  shape.insert(shape.end(), value.node->shape.begin(), value.node->shape.end());
  std::vector<int64_t> axis = {-1};
  ir::ShapeVector step = {graph.scalars().Int(0)};
  for (int d = 0; d < value.node->rank(); ++d) {
    axis.push_back(d);
    step.push_back(graph.scalars().Int(1));
  }
  const ir::ShapeVector start(value.node->shape.size(), graph.scalars().Int(0));
  return graph.View(value.node, shape, axis, start, step);
}

ir::ShapeVector Batch::BatchedShape() const {
  ir::ShapeVector batched = {size};
  batched.insert(batched.end(), shape.begin(), shape.end());
  return batched;
}

std::vector<int64_t> Batch::ShiftedInts() const {
  std::vector<int64_t> shifted;
  for (const int64_t number : node.attrs.ints) shifted.push_back(number + 1);
  return shifted;
}

}  // namespace dynacc::batching
