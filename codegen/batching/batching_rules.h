// The rules of batching, by the table batching.def (batch_graph.h).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "codegen/batching/batch_graph.h"
#include "codegen/ir/graph.h"
#include "codegen/ir/node_rules.h"

namespace dynacc::batching {

// A node that is batched: what its rule is told. At least one operand has the batch axis.
struct Batch {
  const ir::Graph& from;
  const ir::Node& node;  // of `from`
  ir::Graph& graph;      // where its batched form is made
  absl::Span<const Batched> operands;
  ScalarId size;                         // of the batch, in `graph`
  const std::vector<ScalarId>& numbers;  // of `graph`, by the ids of `from`
  // The node's shape and attrs.scalars in `graph`.
  ir::ShapeVector shape;
  ir::ShapeVector scalars;

  // The operand with the batch axis.
  const ir::Node* With(size_t operand) const {
    return WithBatchAxis(graph, operands[operand], size);
  }
  bool Has(size_t operand) const { return operands[operand].has_axis; }
  const ir::Node* Of(size_t operand) const { return operands[operand].node; }

  // The node's shape behind the batch axis.
  ir::ShapeVector BatchedShape() const;
  // attrs.ints, each one more.
  std::vector<int64_t> ShiftedInts() const;
};

// Of the node's results, which are one but for nodes that run graphs.
using Results = absl::StatusOr<std::vector<Batched>>;

struct BatchingRow {
  Op op;
  Results (*rule)(const Batch& batch);  // null: a leaf, which has no operands
  const char* words;                    // for the documentation
};

const BatchingRow& BatchingOf(Op op);

// The rules that are functions; of elementwise ops, leaves and calls there is one each.
Results BatchElementwise(const Batch& batch);
Results BatchSlices(const Batch& batch);  // a loop over the examples
Results BatchRefused(const Batch& batch);
#define DYNACC_DECLARE_kLeaf(name)
#define DYNACC_DECLARE_kElementwise(name)
#define DYNACC_DECLARE_kSlices(name)
#define DYNACC_DECLARE_kRefused(name)
#define DYNACC_DECLARE_kStructural(name) Results Batch##name(const Batch& batch);
#define DYNACC_BATCHING(name, kind, words) DYNACC_DECLARE_##kind(name)
#include "codegen/batching/batching.def"
#undef DYNACC_BATCHING
#undef DYNACC_DECLARE_kLeaf
#undef DYNACC_DECLARE_kElementwise
#undef DYNACC_DECLARE_kSlices
#undef DYNACC_DECLARE_kRefused
#undef DYNACC_DECLARE_kStructural

}  // namespace dynacc::batching
