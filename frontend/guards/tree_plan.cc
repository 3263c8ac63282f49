#include "frontend/guards/tree_plan.h"

#include <algorithm>
#include <bit>

#include "frontend/guards/checks.h"

namespace dynacc::guards {
namespace {

EntrySet SetOf(int entry) { return EntrySet{1} << entry; }

// Whether two guards on one source are computed from the same key of the value.
bool ShareKey(const Guard& a, const Guard& b) {
  if (a.kind != b.kind) return false;
  return VisitCheck(a.kind, [&]<typename Check>() {
    if constexpr (Keyed<Check>) {
      return Check::Family(a) == Check::Family(b);
    } else {
      return false;
    }
  });
}

bool IsKeyed(GuardKind kind) {
  return VisitCheck(kind, []<typename Check>() { return Keyed<Check>; });
}

KeyTest TestOf(const Guard& guard, EntrySet entries) {
  return VisitCheck(guard.kind, [&]<typename Check>() -> KeyTest {
    if constexpr (Keyed<Check>) {
      return {Check::Wanted(guard), entries, Check::Place(guard)};
    } else {
      return {0, entries, nullptr};
    }
  });
}

}  // namespace

EntrySet TreePlan::Check::entries() const {
  EntrySet all = 0;
  for (const Alternative& alternative : alternatives) all |= alternative.entries;
  return all;
}

// How many entries the check rules out at least, whatever the value, if it has alternatives. A
// check without alternatives rules out none when it holds, as it mostly does: power 0.
int TreePlan::Check::power() const {
  int largest = 0;
  for (const Alternative& alternative : alternatives) {
    largest = std::max(largest, std::popcount(alternative.entries));
  }
  return std::popcount(entries()) - largest;
}

TreePlan::Node* TreePlan::Need(int entry, const sources::Source* source) {
  Node* parent = source->parent == nullptr ? nullptr : Need(entry, source->parent);
  std::unique_ptr<Node>& node = nodes_[source];
  if (node == nullptr) {
    node = std::make_unique<Node>();
    node->source = source;
    (parent == nullptr ? roots_ : parent->children).push_back(node.get());
  }
  node->entries |= SetOf(entry);
  return node.get();
}

void TreePlan::AddGuard(int entry, const Guard& guard) {
  Node* node = Need(entry, guard.source);
  for (Check& check : node->checks) {
    for (Alternative& alternative : check.alternatives) {
      if (alternative.guard == guard) {
        alternative.entries |= SetOf(entry);
        return;
      }
    }
    if (ShareKey(check.alternatives.front().guard, guard)) {
      check.alternatives.push_back({guard, SetOf(entry)});
      return;
    }
  }
  node->checks.push_back({{{guard, SetOf(entry)}}});
}

void TreePlan::AddLoad(int entry, const sources::Source* source) {
  Node* node = Need(entry, source);
  if (node->slot < 0) node->slot = num_slots_++;
}

int TreePlan::SlotOf(const sources::Source* source) const {
  const auto found = nodes_.find(source);
  return found == nodes_.end() ? -1 : found->second->slot;
}

int TreePlan::SubtreePower(const Node& node) {
  int power = 0;
  for (const Check& check : node.checks) power = std::max(power, check.power());
  for (const Node* child : node.children) power = std::max(power, SubtreePower(*child));
  return power;
}

void TreePlan::AppendCheck(const Check& check, FlatTree* flat) {
  FlatCheck laid_out{check.alternatives.front().guard, check.entries()};
  if (IsKeyed(laid_out.guard.kind)) {
    laid_out.first_key = static_cast<int>(flat->keys.size());
    laid_out.num_keys = static_cast<int>(check.alternatives.size());
    for (const Alternative& alternative : check.alternatives) {
      flat->keys.push_back(TestOf(alternative.guard, alternative.entries));
    }
  }
  flat->checks.push_back(std::move(laid_out));
}

void TreePlan::AppendSubtree(const Node& node, int depth, FlatTree* flat) {
  const size_t index = flat->nodes.size();
  flat->max_depth = std::max(flat->max_depth, depth);
  flat->nodes.push_back(FlatNode{.source = *node.source,
                                 .entries = node.entries,
                                 .cell = {},
                                 .depth = depth,
                                 .end = 0,
                                 .first_check = static_cast<int>(flat->checks.size()),
                                 .num_checks = static_cast<int>(node.checks.size()),
                                 .slot = node.slot});
  std::vector<const Check*> checks;
  for (const Check& check : node.checks) checks.push_back(&check);
  std::stable_sort(checks.begin(), checks.end(),
                   [](const Check* a, const Check* b) { return a->power() > b->power(); });
  for (const Check* check : checks) AppendCheck(*check, flat);
  AppendSiblings(node.children, depth + 1, flat);
  flat->nodes[index].end = static_cast<int>(flat->nodes.size());
}

void TreePlan::AppendSiblings(const std::vector<Node*>& siblings, int depth, FlatTree* flat) {
  std::vector<std::pair<int, const Node*>> order;
  for (const Node* node : siblings) order.push_back({SubtreePower(*node), node});
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [power, node] : order) AppendSubtree(*node, depth, flat);
}

FlatTree TreePlan::Flatten() const {
  FlatTree flat;
  AppendSiblings(roots_, 0, &flat);
  return flat;
}

}  // namespace dynacc::guards
