// The partitioner: a joint graph split into a forward graph, which also returns the values that
// derivatives need, and a backward graph, which takes them and cotangents.
//
//   forward    inputs: f's. Outputs: f's, with their targets, then the saved values.
//   backward   inputs: the saved values, then the cotangents. Outputs: the gradients.
//
// Together they compute what the joint graph computes, with the same bits. Both are ordinary graphs
// with the joint graph's scalar program, so both take the same numbers. Nodes of f keep the errors
// that they report in the forward graph; the backward graph reports none.
//
// WHAT IS SAVED is a minimum cut (Chen and others, "Training Deep Nets with Sublinear Memory Cost",
// 2016, pose the question; the network is AOTAutograd's, torch/_functorch/partitioners.py, with
// prices of its own). A value that the backward needs is saved, at the price of its bytes, or
// computed again there, at the price of its work, of operands that are saved or computed again. In
// the network a node n is an arc n -> n' that costs its bytes, source -> n costs its work, and
// n' -> m leads to each user m without end. The cut separates the source from what the backward
// reads. Cut arcs n -> n' are what is saved; cut arcs source -> n are what is computed again. Of
// several minimum cuts the one nearest to the backward is taken, in which least is computed again.
//
// PRICES. Work counts in bytes: as many as memory would move in that time.
//   leaves but inputs, views   nothing; nothing is ever saved where its operand would be as cheap
//   elementwise                1 an element, 4 where the array library's own loop computes it
//   whole ops                  reductions, products, scans, gathers ...: never computed again with
//                              budget 1. To order them, work is 1 an element that they read or
//                              make, and 1/8 a multiplication of products
//   inputs, LibraryCalls       never computed again, whatever the budget and the region: a call may
//                              draw random numbers
// Saved inputs cost their bytes, too: arrays have no versions, and the program may write into them
// before the backward runs. So a snapshot is taken. With `inputs_stay` the caller has them still:
// they cost nothing, and are inputs of the backward without being outputs of the forward.
//
// THE BUDGET is from 0 to 1. With 0 the backward takes as little memory as possible: the forward is
// cut into segments, of which one after another is computed again, and what lives across the cuts
// is saved. Where the cuts are is an approximation: segments of equal size, for every number of
// them, each cut where least lives near the end of its segment; the one is taken that has the
// fewest bytes saved at cuts and read by derivatives in its largest segment. Other work costs
// nothing then. Between 0 and 1 the budget says how far up the bytes saved may go, from those with
// 0 to those with 1. More and more whole ops may be computed again, at no price, those with the
// least work for their bytes first; the first cut within the budget is taken. This is the greedy
// approximation of a knapsack. Among equals the choice is spread over the graph, so that what is
// computed again in one place stays small.
//
// REGIONS. What depends on a Checkpoint, and not through an EndCheckpoint (ir/graph.h), is never
// saved, whatever its work is, but for LibraryCalls. A region's results count as whole ops:
// computed again with them, all regions would have to be in memory at once. For the same reason the
// backward graph has its nodes in the order in which derivatives read them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"

namespace dynacc::autodiff {

struct PartitionOptions {
  double budget = 1.0;
  // What the inputs of the scalar program are in an example, to know sizes by. Empty: every number
  // is 1024. Any numbers give right graphs.
  std::vector<ScalarValue> numbers = {};
  // The backward is given f's inputs as they were. Not where f writes into one.
  bool inputs_stay = false;
};

// Why a node is saved or computed again.
enum class Treatment : uint8_t { kInput, kFree, kCheap, kLoop, kWhole, kCall, kResult };

struct PartitionedNode {
  std::string text;  // the node in the joint graph, with the user's line
  Treatment treatment = Treatment::kCheap;
  bool in_region = false;
  int64_t bytes = 0;
};

struct Partition {
  std::unique_ptr<ir::Graph> forward;
  std::unique_ptr<ir::Graph> backward;
  std::vector<PartitionedNode> saved;       // in the order of the backward graph's first inputs
  std::vector<int> given;                   // for each of them: that input of f, or -1: an output
                                            // of the forward, in their order
  std::vector<PartitionedNode> recomputed;  // nodes of f in the backward graph; no views, no leaves
  int64_t saved_bytes = 0;

  // What is saved and what is computed again, and why, a line each.
  std::string Describe() const;
};

// `joint` is the joint graph of `f` with values and with cotangents as inputs. Errors:
// INVALID_ARGUMENT for a budget that is not in [0, 1], for numbers that are not as many as the
// graph has, and for a graph that is no such joint graph; UNIMPLEMENTED for graphs with sizes that
// only the run tells, of which a backward graph of its own would not know.
absl::StatusOr<Partition> SplitJointGraph(const ir::Graph& joint, const ir::Graph& f,
                                          const PartitionOptions& options);

// The bytes that the graph's products, reductions and other whole ops give, for these numbers; 0
// where only the run tells them.
int64_t BytesOfWholeOps(const ir::Graph& f, const std::vector<ScalarValue>& numbers);

// Whether the graph has a region that is to be computed again.
bool HasCheckpoints(const ir::Graph& graph);

}  // namespace dynacc::autodiff
