// Branches of a few elementwise operations become choices between what both sides compute:
//
//   cond c (a) (b)  ->  where c, a, b
//
// On a device a branch waits for the host, which reads the condition and then launches one side;
// the elements of the other side cost less, and fuse with what is around them. A device reports no
// floating-point errors, so nobody hears of those of the side that is not taken.
//
// So does a loop of a few rounds at most, each of a few operations: all of its rounds are computed,
// and a carry is what a round makes of it, where the condition has held so far, or what it was.
#include "codegen/passes/predicate_branches.h"

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/subgraph.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"

namespace dynacc::passes {
namespace {

// A side of more operations is worth the host's time. A guess: launches take some microseconds, and
// so many operations on a million elements about as long.
constexpr size_t kLargestSide = 32;

// A loop's bound: all rounds are computed, whichever is the last.
constexpr int64_t kMostRounds = 8;

bool IsCheap(const ir::Node& node) {
  constexpr Op kMoves[] = {Op::kInput,   Op::kScalar, Op::kFull,  Op::kView,
                           Op::kReshape, Op::kCast,   Op::kWhere, Op::kCOrder};
  return IsElementwise(node.op) || absl::c_linear_search(kMoves, node.op);
}

bool IsPredicableBranch(const ir::Node& node) {
  if (node.op != Op::kCond) return false;
  return absl::c_all_of(node.attrs.subgraphs, [](const ir::Graph* side) {
    return side->nodes().size() <= kLargestSide && side->conditions().empty() &&
           absl::c_all_of(side->nodes(), [](const ir::Node* at) { return IsCheap(*at); });
  });
}

// The rounds of a loop that is limited to a few of them; 0: of another. Its body and its condition
// may add up, too: the loop would do that on the host, where the arrays have to be first.
int64_t RoundsOf(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != Op::kLoop || node.attrs.subgraphs.size() != 2) return 0;
  const std::optional<ir::LoopAttrs> loop = ir::LoopAttrsOf(node.attrs);
  int64_t rounds = 0;
  const bool is_limited = !loop->counted && loop->slices == 0 && loop->length != kNoScalar &&
                          graph.scalars().IsIntConst(loop->length, &rounds) &&
                          rounds <= kMostRounds && ir::NumResults(node) == loop->carries + 1;
  const auto is_small = [](const ir::Graph* part) {
    return part->nodes().size() <= kLargestSide && part->conditions().empty() &&
           absl::c_all_of(part->nodes(), [](const ir::Node* at) {
             return IsCheap(*at) || Info(at->op).category == OpCategory::kReduction;
           });
  };
  return is_limited && absl::c_all_of(node.attrs.subgraphs, is_small) ? rounds : 0;
}

bool IsPredicable(const ir::Graph& graph, const ir::Node& node) {
  return IsPredicableBranch(node) || RoundsOf(graph, node) > 0;
}

// What both sides of a branch give in the new graph.
struct Sides {
  const ir::Node* condition;
  std::vector<const ir::Node*> taken, other;
};

const ir::Node* Choose(ir::Graph& graph, const Sides& sides, size_t result) {
  const ir::Node* const taken = sides.taken[result];
  return graph.Where(graph.BroadcastTo(sides.condition, taken->shape), taken, sides.other[result]);
}

// The results of a loop all of whose rounds are computed, the number of those that count last.
std::vector<const ir::Node*> Unroll(ir::Graph& graph, const ir::Node& node,
                                    absl::Span<const ir::Node* const> operands, int64_t rounds) {
  const ir::LoopAttrs loop = *ir::LoopAttrsOf(node.attrs);
  std::vector<const ir::Node*> inputs(operands.begin(), operands.end());
  const ir::Node* goes_on = nullptr;
  const ir::Node* count = graph.Scalar(DType::kInt64, graph.scalars().Int(0));
  for (int64_t round = 0; round < rounds; ++round) {
    const ir::Node* const holds =
        ir::InlineGraph(*node.attrs.subgraphs[1], graph, inputs, ir::NumbersFor(node, 1))[0];
    goes_on = goes_on == nullptr ? holds : graph.Binary(Op::kLogicalAnd, goes_on, holds);
    const std::vector<const ir::Node*> next =
        ir::InlineGraph(*node.attrs.subgraphs[0], graph, inputs, ir::NumbersFor(node, 0));
    for (int64_t i = 0; i < loop.carries; ++i) {
      const ir::Node*& carry = inputs[loop.constants + i];
      carry = graph.Where(graph.BroadcastTo(goes_on, carry->shape), next[i], carry);
    }
    count = graph.Binary(Op::kAdd, count, graph.Cast(DType::kInt64, goes_on));
  }
  std::vector<const ir::Node*> results(inputs.begin() + loop.constants, inputs.end());
  results.push_back(count);
  return results;
}

}  // namespace

bool HasPredicableBranches(const ir::Graph& graph) {
  return absl::c_any_of(graph.nodes(),
                        [&](const ir::Node* node) { return IsPredicable(graph, *node); });
}

std::unique_ptr<ir::Graph> PredicateBranches(const ir::Graph& graph) {
  if (!HasPredicableBranches(graph)) return nullptr;
  absl::flat_hash_map<const ir::Node*, Sides> inlined;
  absl::flat_hash_map<const ir::Node*, std::vector<const ir::Node*>> unrolled;
  return RewriteGraph(
      graph,
      [&](ir::Graph& target, const ir::Node& node,
          absl::Span<const ir::Node* const> operands) -> const ir::Node* {
        if (const int64_t rounds = RoundsOf(graph, node); rounds > 0) {
          unrolled[&node] = Unroll(target, node, operands, rounds);
          return unrolled[&node][0];
        }
        if (IsPredicableBranch(node)) {
          const auto side = [&](size_t index) {
            return ir::InlineGraph(*node.attrs.subgraphs[index], target, operands.subspan(1),
                                   ir::NumbersFor(node, index));
          };
          inlined[&node] = {operands[0], side(0), side(1)};
          return Choose(target, inlined[&node], 0);  // a branch is its own first result
        }
        if (node.op != Op::kResult) return nullptr;
        if (const auto loop = unrolled.find(node.operands[0]); loop != unrolled.end())
          return loop->second[node.attrs.ints[0]];
        const auto found = inlined.find(node.operands[0]);
        if (found == inlined.end()) return nullptr;
        return Choose(target, found->second, static_cast<size_t>(node.attrs.ints[0]));
      });
}

}  // namespace dynacc::passes
