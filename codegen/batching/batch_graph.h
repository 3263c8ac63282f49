// Batching: a graph of one example made a graph of many, as dynacc.vmap does.
//
// A batched node has one more axis than the graph's own, in front: its element [b, ...] is what the
// graph computes of the b-th elements of its batched inputs. A node of which no operand is batched
// is computed once. The rules are a table with a row for each op (batching.def), and write with the
// graph's own ops, so batched graphs are fused and differentiated like others, and batched again.
//
// BITS. Every element is what the graph's own op gives for its example, but for products of
// matrices: those of single vectors become a product of a matrix, and sums over several axes, whose
// order of additions is that of a larger array. A branch whose condition is batched computes both
// sides for every example, and a loop whose condition is batched goes on until the last example
// ends; examples that have ended keep their values.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"

namespace dynacc::batching {

struct Batched {
  const ir::Node* node = nullptr;
  bool has_axis = false;  // the batch's, in front
};

// Makes the nodes of `from` in `to`, on `inputs` and `numbers` (as ir::InlineGraph); gives its
// outputs. `size`: of the batch. UNIMPLEMENTED, naming the node and its line, for what cannot be
// batched: arrays whose size depends on values.
absl::StatusOr<std::vector<Batched>> BatchInto(const ir::Graph& from, ir::Graph& to,
                                               absl::Span<const Batched> inputs,
                                               absl::Span<const ScalarId> numbers, ScalarId size);

// The value with a batch axis: repeated along it if it has none.
const ir::Node* WithBatchAxis(ir::Graph& graph, Batched value, ScalarId size);

}  // namespace dynacc::batching
