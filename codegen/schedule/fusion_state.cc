#include "codegen/schedule/fusion_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/schedule/group_descriptors.h"
#include "codegen/schedule/row_groups.h"
#include "codegen/schedule/row_kernels.h"

namespace dynacc::schedule {
namespace {

bool IsUncomputed(const ir::Node* node) {
  return Info(node->op).category == OpCategory::kLeaf || IsOnlySeenThrough(node);
}

GroupKind KindOf(const ir::Node* node) {
  if (IsKernelNode(node)) return GroupKind::kElementwise;
  if (Info(node->op).category == OpCategory::kReduction) return GroupKind::kReduction;
  if (node->op == Op::kReshape) return GroupKind::kReshape;
  if (node->op == Op::kStore) return GroupKind::kStore;
  return node->op == Op::kMatmul ? GroupKind::kMatmul : GroupKind::kLibraryCall;
}

}  // namespace

std::string NodeName(const ir::Node* node) {
  return absl::StrCat("%", node->id, " ", Info(node->op).text);
}

FusionState::FusionState(const ir::Graph& graph, const MatmulPolicy& products,
                         extensions::Extensions extensions)
    : graph_(graph),
      products_(products),
      extensions_(std::move(extensions)),
      group_of_(graph.nodes().size(), -1),
      needed_(graph.nodes().size()),
      is_output_(graph.nodes().size()),
      users_(graph.nodes().size()) {
  FindNeeded();
  FindDefiners();
  for (const ir::Node* node : graph.nodes()) {
    if (!needed_[node->id]) continue;
    for (const ir::Node* operand : node->operands) users_[operand->id].push_back(node);
    if (IsUncomputed(node)) continue;
    group_of_[node->id] = num_groups();
    Group& group = groups_.emplace_back();
    group.kind = KindOf(node);
    group.nodes = {node};
  }
}

// What stays of the target is not written, so of Stores into it only the values are needed.
void FusionState::AddWriteBacks(const ir::Node* node, const ir::Node* target) {
  const size_t first = write_backs_.size();
  for (; node->op == Op::kStore; node = node->operands[0]) {
    write_backs_.push_back({node->operands[1], node, target});
  }
  if (node != target) write_backs_.push_back({node, nullptr, target});
  std::reverse(write_backs_.begin() + first, write_backs_.end());
}

void FusionState::FindNeeded() {
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const ir::Node* const node = graph_.outputs()[i];
    if (graph_.targets()[i] != nullptr) {
      AddWriteBacks(node, graph_.targets()[i]);
    } else {
      needed_[node->id] = true;
      is_output_[node->id] = true;
    }
  }
  for (const WriteBack& part : write_backs_) {
    needed_[part.value->id] = true;
    is_output_[part.value->id] = true;
  }
  for (auto it = graph_.nodes().rbegin(); it != graph_.nodes().rend(); ++it) {
    const ir::Node* node = *it;
    // A function of the array library's may raise or warn whatever its dtype.
    const bool reports = MayRaiseFlags(node) && graph_.ReportedBy(node) != 0;
    const bool runs_always = ir::MakesCall(*node) || ir::DefinedBy(*node) != kNoScalar;
    if (reports || runs_always) needed_[node->id] = true;
    if (!needed_[node->id]) continue;
    for (const ir::Node* operand : node->operands) needed_[operand->id] = true;
  }
}

// The highest level among the data-dependent numbers that the node, or what it reads without a step
// of its own, is made with.
int FusionState::LevelOf(const ir::Node* node) const {
  const ScalarProgram& scalars = graph_.scalars();
  int level = 0;
  for (const ScalarId id : node->shape) level = std::max(level, scalars.Level(id));
  for (const ScalarId id : node->attrs.scalars) {
    if (id != kNoScalar) level = std::max(level, scalars.Level(id));
  }
  for (const ir::Node* operand : node->operands) {
    if (IsUncomputed(operand)) level = std::max(level, LevelOf(operand));
  }
  return level;
}

void FusionState::FindDefiners() {
  if (graph_.scalars().num_data_dependent() == 0) return;
  definers_.resize(graph_.scalars().num_data_dependent());
  levels_.resize(graph_.nodes().size());
  for (const ir::Node* node : graph_.nodes()) {
    levels_[node->id] = LevelOf(node);
    const ScalarId defined = ir::DefinedBy(*node);
    if (defined == kNoScalar) continue;
    const int level = graph_.scalars().Level(defined);
    definers_[level - 1] = node;
    levels_[node->id] = level;
  }
}

// The node that must have run before `node` knows its sizes; null if there is none.
const ir::Node* FusionState::DefinerFor(const ir::Node* node) const {
  if (levels_.empty()) return nullptr;
  int level = levels_[node->id];
  if (level > 0 && definers_[level - 1] == node) --level;
  return level == 0 ? nullptr : definers_[level - 1];
}

std::vector<int> FusionState::Predecessors(int g) const {
  std::vector<int> result;
  for (const ir::Node* node : groups_[g].nodes) {
    const ir::Node* const definer = DefinerFor(node);
    if (definer != nullptr && GroupOf(definer) != g) result.push_back(GroupOf(definer));
    for (const ir::Node* operand : node->operands) {
      const int predecessor = HasCopy(operand, g) ? g : GroupOf(BaseOf(operand));
      if (predecessor >= 0 && predecessor != g) result.push_back(predecessor);
    }
  }
  for (const ir::Node* source : groups_[g].taken) {
    const int predecessor = source == nullptr ? -1 : GroupOf(BaseOf(source));
    if (predecessor >= 0) result.push_back(predecessor);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

bool FusionState::HasPathAround(int from, int to) const {
  for (const int predecessor : Predecessors(to)) {
    if (predecessor != from && Reaches(from, predecessor)) return true;
  }
  return false;
}

// A number that every group which depends on `from` has a node at or after. Nodes are numbered
// topologically: a group that reads another one ends after that one's first node. So this is the
// first node of `from`, or of merged groups that have nodes on both sides of it, and so on.
int FusionState::EarliestEndAfter(int from) const {
  int earliest = groups_[from].nodes.front()->id;
  for (bool is_lower = true; is_lower;) {
    is_lower = false;
    for (const Group& group : groups_) {
      if (group.nodes.empty() || group.nodes.front()->id >= earliest) continue;
      if (group.nodes.back()->id < earliest) continue;
      earliest = group.nodes.front()->id;
      is_lower = true;
    }
  }
  return earliest;
}

bool FusionState::Reaches(int from, int to) const {
  const int earliest = EarliestEndAfter(from);
  std::vector<bool> seen(groups_.size());
  std::vector<int> stack = {to};
  while (!stack.empty()) {
    const int g = stack.back();
    stack.pop_back();
    if (g == from) return true;
    if (seen[g] || groups_[g].nodes.back()->id < earliest) continue;
    seen[g] = true;
    for (const int predecessor : Predecessors(g)) stack.push_back(predecessor);
  }
  return false;
}

bool FusionState::ReadsThroughView(int producer, int consumer) const {
  for (const ir::Node* node : groups_[consumer].nodes) {
    for (const ir::Node* operand : node->operands) {
      if (IsOnlySeenThrough(operand) && GroupOf(BaseOf(operand)) == producer) return true;
    }
  }
  return false;
}

bool FusionState::ReadsRoll(int g) const {
  for (const ir::Node* node : groups_[g].nodes) {
    for (const ir::Node* operand : node->operands) {
      if (operand->op == Op::kRoll) return true;
    }
  }
  return false;
}

// The groups that read the node, its own among them; -1: something that is in no group.
std::vector<int> FusionState::ReadersOf(const ir::Node* node) const {
  std::vector<int> readers;
  for (const ir::Node* user : users_[node->id]) {
    readers.push_back(GroupOf(user));
    for (auto it = copies_.lower_bound({user->id, -1}); it != copies_.end(); ++it) {
      if (it->first != user->id) break;
      readers.push_back(it->second);
    }
  }
  return readers;
}

// Whether the node's value is needed outside of groups `a` and `b`.
bool FusionState::MustBeStored(const ir::Node* node, int a, int b) const {
  // A node without users is here for its flags alone: it is stored, so that it is computed.
  if (IsOutput(node) || users_[node->id].empty()) return true;
  const std::vector<int> readers = ReadersOf(node);
  return std::any_of(readers.begin(), readers.end(), [&](int reader) {
    return reader != a && reader != b && !HasCopy(node, reader);
  });
}

bool FusionState::IsUsedOutside(int g, int besides) const {
  return std::any_of(groups_[g].nodes.begin(), groups_[g].nodes.end(), [&](const ir::Node* node) {
    return !HasCopy(node, g) && MustBeStored(node, g, besides);
  });
}

std::vector<int> FusionState::OtherReaders(const ir::Node* node) const {
  if (IsOutput(node)) return {};
  std::vector<int> readers = ReadersOf(node);
  std::sort(readers.begin(), readers.end());
  if (!readers.empty() && readers.front() < 0) return {};
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  readers.erase(std::remove(readers.begin(), readers.end(), GroupOf(node)), readers.end());
  return readers;
}

void FusionState::Copy(const ir::Node* node, int into) {
  std::vector<const ir::Node*>& nodes = groups_[into].nodes;
  nodes.insert(std::find_if(nodes.begin(), nodes.end(),
                            [node](const ir::Node* other) { return other->id > node->id; }),
               node);
  copies_.insert({node->id, into});
}

std::string FusionState::WhyVetoed(int a, int b) const {
  if (extensions_.vetoes.empty()) return "";
  GroupDescriptors descriptors(*this);
  for (const extensions::ExtensionVeto& row : extensions_.vetoes) {
    const char* const reason = row.veto(descriptors.Of(a), descriptors.Of(b));
    if (reason != nullptr) return absl::StrCat(row.name, ": ", reason);
  }
  return "";
}

std::string FusionState::WhyApart(int a, int b) const {
  const std::optional<uint32_t> reported_a = ReportedErrors(graph_, groups_[a]);
  const std::optional<uint32_t> reported_b = ReportedErrors(graph_, groups_[b]);
  if (reported_a && reported_b && *reported_a != *reported_b) {
    return "other floating-point errors are reported";
  }
  Group both;
  both.nodes = groups_[a].nodes;
  both.nodes.insert(both.nodes.end(), groups_[b].nodes.begin(), groups_[b].nodes.end());
  if (both.nodes.size() > kMaxGroupNodes) {
    return absl::StrCat("more than ", kMaxGroupNodes, " nodes in one kernel");
  }
  int operands = static_cast<int>(ExternalOperands(both).size());
  for (const ir::Node* node : both.nodes) operands += MustBeStored(node, a, b);
  if (operands <= kMaxGroupOperands) return WhyVetoed(a, b);
  return absl::StrCat("more than ", kMaxGroupOperands, " arrays in one kernel");
}

// `user` does not read `node`: if nobody does, it is not computed.
void FusionState::Forget(const ir::Node* node, const ir::Node* user) {
  std::vector<const ir::Node*>& users = users_[node->id];
  users.erase(std::remove(users.begin(), users.end(), user), users.end());
  if (!users.empty() || IsOutput(node) || node->operands.empty()) return;
  needed_[node->id] = false;
  const int g = std::exchange(group_of_[node->id], -1);
  if (g >= 0) groups_[g].nodes.clear();
  for (const ir::Node* operand : node->operands) Forget(operand, node);
}

void FusionState::Take(int product, int index, const ir::Node* source) {
  Group& group = groups_[product];
  group.taken[index] = source;
  const ir::Node* const root = group.root();
  users_[source->id].push_back(root);
  const bool is_read_twice = root->operands[1 - index] == root->operands[index] && index == 0;
  if (!is_read_twice) Forget(root->operands[index], root);
}

void FusionState::Merge(int from, int into) {
  std::vector<const ir::Node*>& nodes = groups_[into].nodes;
  for (const ir::Node* node : groups_[from].nodes) {
    nodes.push_back(node);
    if (copies_.erase({node->id, from}) == 0) {
      group_of_[node->id] = into;
      copies_.erase({node->id, into});
    } else if (GroupOf(node) != into) {
      copies_.insert({node->id, into});
    }
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const ir::Node* a, const ir::Node* b) { return a->id < b->id; });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  groups_[from].nodes.clear();
}

void FusionState::FillOutputs(Group& group, int g) const {
  for (const ir::Node* node : group.nodes) {
    if (!HasCopy(node, g) && MustBeStored(node, g, g)) group.outputs.push_back(node);
  }
}

void FusionState::AddCopies(Schedule& schedule) const {
  std::vector<bool> stored(graph_.nodes().size());
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const ir::Node* node = graph_.outputs()[i];
    if (graph_.targets()[i] != nullptr) continue;
    const bool in_place = GroupOf(node) >= 0 && node->op != Op::kReshape && !stored[node->id];
    stored[node->id] = true;
    if (!in_place) schedule.copies.push_back({node, static_cast<int>(i)});
  }
}

// Of the groups that may run now, by their first nodes: the first of those looked at that continues
// the block, or else the first.
std::set<std::pair<int, int>>::const_iterator FusionState::NextOf(
    const std::set<std::pair<int, int>>& ready, const OpenRowBlock& block) const {
  constexpr int kLookedAt = 16;  // so that wide graphs take no quadratic time
  auto it = ready.begin();
  for (int i = 0; goes_by_rows_ && i < kLookedAt && it != ready.end(); ++i, ++it) {
    if (block.IsContinuedBy(groups_[it->second])) return it;
  }
  return ready.begin();
}

// A topological order of the groups, as near to the nodes' order as can be; but that runs of groups
// that go by rows stay whole, and reshapes of leaves come first where they might stand between the
// groups of a row kernel.
std::vector<int> FusionState::ExecutionOrder() const {
  std::vector<int> waiting(groups_.size());
  std::vector<std::vector<int>> followers(groups_.size());
  std::set<std::pair<int, int>> ready;  // (first node, group)
  for (int g = 0; g < num_groups(); ++g) {
    if (!alive(g)) continue;
    const std::vector<int> predecessors = Predecessors(g);
    waiting[g] = static_cast<int>(predecessors.size());
    for (const int predecessor : predecessors) followers[predecessor].push_back(g);
    if (!predecessors.empty()) continue;
    const bool is_first = makes_row_kernels_ && groups_[g].kind == GroupKind::kReshape;
    ready.insert({is_first ? -1 : groups_[g].nodes.front()->id, g});
  }
  std::vector<int> order;
  OpenRowBlock block(graph_);
  while (!ready.empty()) {
    const auto next = NextOf(ready, block);
    const int g = next->second;
    ready.erase(next);
    order.push_back(g);
    block.Add(groups_[g]);
    for (const int follower : followers[g]) {
      if (--waiting[follower] == 0) ready.insert({groups_[follower].nodes.front()->id, follower});
    }
  }
  return order;
}

Schedule FusionState::Finish() {
  Schedule schedule;
  for (const int g : ExecutionOrder()) {
    Group group = groups_[g];
    FillOutputs(group, g);
    schedule.groups.push_back(std::move(group));
  }
  if (goes_by_rows_) {
    schedule.row_blocks = FindRowBlocks(graph_, schedule.groups, products_go_by_rows_);
  }
  AddCopies(schedule);
  schedule.write_backs = std::move(write_backs_);
  schedule.notes = std::move(notes_);
  if (makes_row_kernels_) schedule.row_kernels = FindRowKernels(graph_, schedule);
  return schedule;
}

}  // namespace dynacc::schedule
