// The attributes of Cond and Loop (graph.h, CONTROL FLOW), the types of their results, and how such
// nodes are made.
//
// NUMBERS. A subgraph has a scalar program of its own, whose inputs are numbers of the graph that
// it runs in. attrs.scalars name them: for each subgraph in turn as many as its program has inputs.
// In front of them a Loop has its length, if it is limited.
//
// A LOOP'S OPERANDS, in this order: the number of rounds, if it is counted; constants; carries;
// arrays of slices, whose first axis has the loop's length. The body takes constants, carries and
// slices, and gives carries and then slices of results; the condition takes constants and carries,
// and gives a bool of rank 0. A loop makes as many rounds as it counts, or its length, or as long
// as its condition holds before a round, whichever ends first. A reverse loop takes and gives
// slices from the end: of n rounds (counted, or its length) the first one has slice n - 1.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/ir/graph.h"
#include "codegen/ir/node_rules.h"

namespace dynacc::ir {

// What attrs.ints and the first of attrs.scalars of a Loop say.
struct LoopAttrs {
  int64_t constants = 0;
  int64_t carries = 0;
  int64_t slices = 0;
  bool counted = false;
  bool reverse = false;
  ScalarId length = kNoScalar;  // kNoScalar: it is not limited

  // Where the constants begin among the operands.
  int64_t first() const { return counted ? 1 : 0; }
  int64_t num_operands() const { return first() + constants + carries + slices; }
};

// The ints that say so; a length is written in front of the numbers by whoever makes the node.
std::vector<int64_t> EncodeLoop(const LoopAttrs& attrs);

// Nothing if the attributes are none of a Loop.
std::optional<LoopAttrs> LoopAttrsOf(const NodeAttrs& attrs);

// Whether the node runs graphs.
inline bool HasSubgraphs(const Node& node) { return !node.attrs.subgraphs.empty(); }

// The numbers for subgraph `index` of the node.
absl::Span<const ScalarId> NumbersFor(const Node& node, size_t index);

// The dtypes and shapes of all results of such a node. Sizes that follow are made in `scalars`,
// which its numbers and the operands' sizes belong to. INVALID_ARGUMENT, in words, if operands,
// attributes and subgraphs do not fit each other.
absl::StatusOr<std::vector<NodeType>> ResultTypes(Op op, absl::Span<const Node* const> operands,
                                                  const NodeAttrs& attrs, ScalarProgram& scalars);

// Makes the node; `attrs` must fit (ResultTypes).
const Node* MakeControlFlow(Graph& graph, Op op, absl::Span<const Node* const> operands,
                            const NodeAttrs& attrs);

// Result `index` of a Cond or Loop: itself or a Result.
const Node* ResultOf(Graph& graph, const Node* control, int64_t index);

// How many results it has.
int64_t NumResults(const Node& node);

// The node that `node` is a result of, itself or its operand, and which one.
struct ResultPlace {
  const Node* control;
  int64_t index;
};
inline ResultPlace PlaceOfResult(const Node& node) {
  return node.op == Op::kResult ? ResultPlace{node.operands[0], node.attrs.ints[0]}
                                : ResultPlace{&node, 0};
}

}  // namespace dynacc::ir
