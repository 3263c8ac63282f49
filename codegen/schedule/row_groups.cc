#include "codegen/schedule/row_groups.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "codegen/schedule/row_operands.h"

namespace dynacc {
namespace {

// Keeps what the executor sets up for a run of groups small.
constexpr int kMaxGroups = 32;

// Leading axes of the group's iteration that may be cut; 0: it cannot go row by row.
int LeadingAxes(const Group& group) {
  if (group.kind != GroupKind::kElementwise && group.kind != GroupKind::kReduction) return 0;
  if (absl::c_any_of(ArrayOperands(group), ReadsRolled)) return 0;
  if (group.kind == GroupKind::kElementwise) return group.root()->rank();
  const auto reduced = group.root()->attrs.ints;
  return reduced.empty() ? 0 : static_cast<int>(reduced[0]);
}

class RowBlockFinder {
 public:
  RowBlockFinder(const Graph& graph, const std::vector<Group>& groups)
      : graph_(graph), groups_(groups), group_of_(graph.nodes().size(), -1) {
    for (size_t g = 0; g < groups.size(); ++g) {
      for (const Node* node : groups[g].nodes) group_of_[node->id] = static_cast<int>(g);
    }
  }

  std::vector<RowBlock> Find() {
    std::vector<RowBlock> blocks;
    for (int first = 0; first < static_cast<int>(groups_.size()); ++first) {
      RowBlock block{first, first, LeadingAxes(groups_[first])};
      seen_.clear();
      Remember(groups_[first]);
      while (block.axes > 0 && Extend(block)) {
      }
      if (block.last > block.first) blocks.push_back(block);
      first = block.last;
    }
    return blocks;
  }

 private:
  // Adds the group after the block, if it fits; the block may lose axes by it.
  bool Extend(RowBlock& block) {
    const int next = block.last + 1;
    if (next >= static_cast<int>(groups_.size()) || next - block.first >= kMaxGroups) return false;
    const Group& group = groups_[next];
    int axes = std::min({block.axes, LeadingAxes(group), CommonAxes(block, group)});
    bool is_linked = false;
    for (const Node* operand : ArrayOperands(group)) {
      const Node* const base = BaseOf(operand);
      is_linked |= base->rank() > 0 && absl::c_linear_search(seen_, base);
      if (group_of_[base->id] >= block.first)
        axes = std::min(axes, AxesSeenAsTheyAre(graph_, operand));
    }
    if (axes <= 0 || !is_linked) return false;
    block.last = next;
    block.axes = axes;
    Remember(group);
    return true;
  }

  void Remember(const Group& group) {
    for (const Node* operand : ArrayOperands(group)) seen_.push_back(BaseOf(operand));
    seen_.insert(seen_.end(), group.outputs.begin(), group.outputs.end());
  }

  // Leading axes over which the group's sizes are those of the block's.
  int CommonAxes(const RowBlock& block, const Group& group) const {
    const auto a = IterationShape(groups_[block.first]);
    const auto b = IterationShape(group);
    return static_cast<int>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                            a.begin());
  }

  const Graph& graph_;
  const std::vector<Group>& groups_;
  std::vector<int> group_of_;      // by node id; -1: leaves and views
  std::vector<const Node*> seen_;  // what the block's groups read and make
};

}  // namespace

std::vector<RowBlock> FindRowBlocks(const Graph& graph, const std::vector<Group>& groups) {
  return RowBlockFinder(graph, groups).Find();
}

}  // namespace dynacc
