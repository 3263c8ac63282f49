// Runs of groups that can go row by row.
//
// A softmax is a maximum, an exponential, a sum and a quotient. One after the other over the whole
// array, each of them moves all of it through memory. If a row of each needs nothing but the same
// row of the others, they run block of rows by block of rows instead: what one leaves in cache the
// next one finds there, and what only they read is never stored. The executor's side is
// runtime/executor/row_block_step.h.
//
// A matrix product by the array library is such a group, too, as its rows need only the same rows
// of its left operand; but each block brings the right operand into order once more. So it is one
// of a run only where what need not go through memory outweighs that: the scores of an attention,
// and the product with its probabilities. A product with a large matrix takes so long that what
// comes after it hardly matters.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "codegen/schedule/schedule.h"

namespace dynacc::schedule {

// The longest runs of neighbours in `groups`, which are in the order in which they run, such that
// over some leading axes all iterate over the same sizes, none reduces, and each reads of the
// others' results what lies at the same place. Each of a run reads something that another one of it
// makes or reads; a product is the first, for the next group, or multiplies what another one makes.
// `with_products`: without, there are none with products.
std::vector<RowBlock> FindRowBlocks(const ir::Graph& graph, const std::vector<Group>& groups,
                                    bool with_products);

// The groups at the end of an order that is being made, as far as they may go row by row together.
// An order that goes on with them as long as it can keeps a reduction of whole arrays, for which
// nothing waits, from standing between two halves of a run: their values would go through memory.
class OpenRowBlock {
 public:
  explicit OpenRowBlock(const ir::Graph& graph) : graph_(graph) {}

  // Whether the group goes over the same rows, reads what the block makes or reads, and of what it
  // makes no other rows.
  bool IsContinuedBy(const Group& group) const;

  // The group is next: one that does not continue the block begins another.
  void Add(const Group& group);

 private:
  const ir::Graph& graph_;
  ScalarId rows_ = kNoScalar;  // none: the block is empty
  absl::flat_hash_set<const ir::Node*> made_;
  absl::flat_hash_set<const ir::Node*> read_;
};

}  // namespace dynacc::schedule
