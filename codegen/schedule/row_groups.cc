#include "codegen/schedule/row_groups.h"

#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"
#include "codegen/schedule/row_operands.h"

namespace dynacc::schedule {
namespace {

// Keeps what the executor sets up for a run of groups small.
constexpr int kMaxGroups = 32;

// Factors of each sum, or columns, that a product of a run has at most: a block has some hundred
// rows, and brings the right operand into order at the price of some ten additions an element.
constexpr int64_t kMaxProductWidth = 256;

// Leading axes of the group's iteration that may be cut; 0: it cannot go row by row.
int LeadingAxes(const Group& group) {
  if (group.kind == GroupKind::kMatmul)
    return group.by_library || group.has_windows ? 0 : group.root()->rank() - 1;
  if (group.kind != GroupKind::kElementwise && group.kind != GroupKind::kReduction) return 0;
  if (absl::c_any_of(ArrayOperands(group), ReadsRolled)) return 0;
  if (group.kind == GroupKind::kElementwise) return group.root()->rank();
  const auto reduced = group.root()->attrs.ints;
  return reduced.empty() ? 0 : static_cast<int>(reduced[0]);
}

bool IsProduct(const Group& group) { return group.kind == GroupKind::kMatmul; }

class RowBlockFinder {
 public:
  RowBlockFinder(const ir::Graph& graph, const std::vector<Group>& groups)
      : graph_(graph), groups_(groups), maker_of_(StoringGroups(graph, groups)) {}

  // Of the groups [first, end), those without products.
  std::vector<RowBlock> FindPlain(int first, int end) {
    return Find(first, end, /*with_products=*/false);
  }

  // Those with products, and those without of what is left.
  std::vector<RowBlock> FindAll() {
    const int end = static_cast<int>(groups_.size());
    std::vector<RowBlock> blocks;
    int next = 0;
    const auto add_plain = [&](int until) {
      for (RowBlock& block : FindPlain(next, until)) blocks.push_back(std::move(block));
    };
    for (RowBlock& block : Find(0, end, /*with_products=*/true)) {
      if (!HasProduct(block)) continue;
      add_plain(block.first);
      next = block.last + 1;
      block.inner = FindPlain(block.first, next);
      blocks.push_back(std::move(block));
    }
    add_plain(end);
    return blocks;
  }

 private:
  std::vector<RowBlock> Find(int begin, int end, bool with_products) {
    with_products_ = with_products;
    end_ = end;
    std::vector<RowBlock> blocks;
    for (int first = begin; first < end; ++first) {
      RowBlock block{first, first, MayStart(groups_[first]) ? LeadingAxes(groups_[first]) : 0, {}};
      seen_.clear();
      Remember(groups_[first]);
      while (block.axes > 0 && Extend(block)) {
      }
      if (block.last > block.first) blocks.push_back(block);
      first = block.last;
    }
    return blocks;
  }

  bool HasProduct(const RowBlock& block) const {
    return std::any_of(groups_.begin() + block.first, groups_.begin() + block.last + 1, IsProduct);
  }

  bool MayStart(const Group& group) const {
    return !IsProduct(group) || (with_products_ && IsNarrow(InnerOf(group)));
  }

  // Adds the group after the block, if it fits; the block may lose axes by it.
  bool Extend(RowBlock& block) {
    const int next = block.last + 1;
    if (next >= end_ || next - block.first >= kMaxGroups) return false;
    const Group& group = groups_[next];
    int axes = std::min({block.axes, LeadingAxes(group), CommonAxes(block, group)});
    axes = std::min(axes, IsProduct(group) ? ProductAxes(block, group) : LinkedAxes(block, group));
    if (axes <= 0) return false;
    block.last = next;
    block.axes = axes;
    Remember(group);
    return true;
  }

  // Leading axes along which the group reads what lies at the same place; 0: it reads nothing that
  // the block makes or reads.
  int LinkedAxes(const RowBlock& block, const Group& group) const {
    int axes = std::numeric_limits<int>::max();
    bool is_linked = false;
    for (const ir::Node* operand : ArrayOperands(group)) {
      const ir::Node* const base = BaseOf(operand);
      is_linked |= base->rank() > 0 && absl::c_linear_search(seen_, base);
      if (IsMadeIn(block, operand)) axes = std::min(axes, AxesSeenAsTheyAre(graph_, operand));
    }
    return is_linked ? axes : 0;
  }

  // The same of a product: its left operand has to be made by the block.
  int ProductAxes(const RowBlock& block, const Group& group) const {
    const ir::Node* const product = group.root();
    const ir::Node* const left = product->operands[0];
    const ir::Node* const right = product->operands[1];
    const bool is_worth_it = with_products_ && IsMadeIn(block, left) &&
                             left->rank() == product->rank() &&
                             (IsNarrow(InnerOf(group)) || IsNarrow(product->shape.back()));
    if (!is_worth_it) return 0;
    int axes = AxesSeenAsTheyAre(graph_, left);
    if (!IsMadeIn(block, right)) return axes;
    if (right->rank() != product->rank()) return 0;
    return std::min({axes, AxesSeenAsTheyAre(graph_, right), product->rank() - 2});
  }

  bool IsMadeIn(const RowBlock& block, const ir::Node* operand) const {
    return maker_of_[BaseOf(operand)->id] >= block.first;
  }

  static ScalarId InnerOf(const Group& product) {
    return product.root()->operands[0]->shape.back();
  }

  bool IsNarrow(ScalarId size) const {
    int64_t known;
    return graph_.scalars().IsIntConst(size, &known) && known <= kMaxProductWidth;
  }

  // Of a product that which is read again is its result alone.
  void Remember(const Group& group) {
    if (!IsProduct(group)) {
      for (const ir::Node* operand : ArrayOperands(group)) seen_.push_back(BaseOf(operand));
    }
    seen_.insert(seen_.end(), group.outputs.begin(), group.outputs.end());
  }

  // Leading axes over which the group's sizes are those of the block's.
  int CommonAxes(const RowBlock& block, const Group& group) const {
    const auto a = IterationShape(groups_[block.first]);
    const auto b = IterationShape(group);
    return static_cast<int>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                            a.begin());
  }

  const ir::Graph& graph_;
  const std::vector<Group>& groups_;
  const std::vector<int> maker_of_;  // by node id
  // Of the search under way:
  bool with_products_ = false;
  int end_ = 0;
  std::vector<const ir::Node*> seen_;  // what the block's groups read and make
};

// The number of rows that a group without a product goes over; none if it cannot go row by row.
ScalarId RowsOf(const Group& group) {
  return IsProduct(group) || LeadingAxes(group) == 0 ? kNoScalar : IterationShape(group)[0];
}

}  // namespace

bool OpenRowBlock::IsContinuedBy(const Group& group) const {
  if (rows_ == kNoScalar || RowsOf(group) != rows_) return false;
  bool is_linked = false;
  for (const ir::Node* operand : ArrayOperands(group)) {
    const ir::Node* const base = BaseOf(operand);
    const bool is_made = made_.contains(base);
    if (is_made && AxesSeenAsTheyAre(graph_, operand) == 0) return false;
    is_linked |= base->rank() > 0 && (is_made || read_.contains(base));
  }
  return is_linked;
}

void OpenRowBlock::Add(const Group& group) {
  if (!IsContinuedBy(group)) {
    made_.clear();
    read_.clear();
  }
  rows_ = RowsOf(group);
  made_.insert(group.nodes.begin(), group.nodes.end());
  for (const ir::Node* operand : ArrayOperands(group)) read_.insert(BaseOf(operand));
}

std::vector<RowBlock> FindRowBlocks(const ir::Graph& graph, const std::vector<Group>& groups,
                                    bool with_products) {
  RowBlockFinder finder(graph, groups);
  return with_products ? finder.FindAll() : finder.FindPlain(0, static_cast<int>(groups.size()));
}

}  // namespace dynacc::schedule
