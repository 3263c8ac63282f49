#include "frontend/guards/guard_tree.h"

#include "absl/strings/str_cat.h"
#include "frontend/guards/check_reads.h"
#include "frontend/guards/checks.h"
#include "frontend/guards/read_set_cache.h"
#include "frontend/guards/tree_plan.h"
#include "frontend/sources/access.h"
#include "runtime/base/check.h"

namespace dynacc::guards {
namespace {

// The source's value as the walk sees it: possibly Unreadable().
BorrowedRef Resolve(const sources::Source& source, const sources::SourceRoots& roots) {
  BorrowedRef parent = nullptr;
  if (source.parent != nullptr) {
    parent = Resolve(*source.parent, roots);
    if (parent == Unreadable()) return parent;
  }
  LookupCell cell;
  return sources::AccessWithCell(source, parent, roots, cell);
}

// The entries that `check` rules out for `value`.
template <typename Kind>
[[gnu::always_inline]] inline EntrySet FailedBy(const FlatCheck& check, const KeyTest* keys,
                                                BorrowedRef value) {
  if constexpr (Keyed<Kind>) {
    int64_t key;
    if (!Kind::Key(check.guard, value, &key)) return check.entries;
    EntrySet failed = 0;
    for (int i = 0; i < check.num_keys; ++i) {
      const KeyTest& test = keys[check.first_key + i];
      failed |= test.Holds(key) ? 0 : test.entries;
    }
    return failed;
  } else {
    return Kind::Check(check.guard, value) ? 0 : check.entries;
  }
}

}  // namespace

struct GuardTree::Impl {
  struct Entry {
    std::vector<Guard> guards;
    std::vector<const sources::Source*> loads;
  };

  // Runs a node's checks until none of `alive` is left that the node could rule out.
  [[gnu::always_inline]] EntrySet RunChecks(const FlatNode& node, BorrowedRef value,
                                            EntrySet alive) const {
    const KeyTest* const keys = flat.keys.data();
    const FlatCheck* check = flat.checks.data() + node.first_check;
    for (const FlatCheck* end = check + node.num_checks; check != end; ++check) {
      if ((alive & check->entries) == 0) continue;
      alive &= ~VisitCheck(
          check->guard.kind,
          [ check, keys, value ]<typename Kind>()
              __attribute__((always_inline)) { return FailedBy<Kind>(*check, keys, value); });
    }
    return alive;
  }

  // Walks the nodes from `first` on until `end`, or until no entry is left.
  [[gnu::always_inline]] EntrySet Walk(int first, int end, EntrySet alive,
                                       const sources::SourceRoots& roots,
                                       absl::Span<BorrowedRef> slots) {
    BorrowedRef* const values = path.data();
    FlatNode* const nodes = flat.nodes.data();
    FlatNode* const stop = nodes + end;
    for (FlatNode* next = nodes + first; next != stop && alive != 0;) {
      FlatNode& node = *next;
      if ((alive & node.entries) == 0) {
        next = nodes + node.end;
        continue;
      }
      BorrowedRef value =
          sources::AccessWithCell(node.source, values[node.depth], roots, node.cell);
      if (value == Unreadable()) {
        alive &= ~node.entries;
        next = nodes + node.end;
      } else {
        alive = RunChecks(node, value, alive);
        values[node.depth + 1] = value;
        if (node.slot >= 0) slots[node.slot] = value;
        ++next;
      }
    }
    return alive;
  }

  EntrySet Follow(const sources::SourceRoots& roots, absl::Span<BorrowedRef> slots) {
    read_set_cache.FillSlots(slots);
    EntrySet alive = read_set_cache.alive();
    for (const ReadSetCache::Detour& detour : read_set_cache.detours()) {
      const FlatNode& node = flat.nodes[detour.node];
      path[node.depth] = detour.parent;
      alive = Walk(detour.node, node.end, alive, roots, slots);
    }
    return alive;
  }

  void Record(EntrySet all, const sources::SourceRoots& roots) {
    read_set_cache.Start();
    EntrySet alive = all;
    for (int i = 0; i < static_cast<int>(flat.nodes.size()) && alive != 0;) {
      FlatNode& node = flat.nodes[i];
      if ((alive & node.entries) == 0) {
        i = node.end;
      } else if (RecordNode(i, roots)) {
        alive = RunChecks(node, path[node.depth + 1], alive);
        if (node.slot >= 0) read_set_cache.Keep(node.slot, path[node.depth + 1]);
        ++i;
      } else {
        read_set_cache.AddDetour(i, path[node.depth]);
        i = node.end;
      }
    }
    read_set_cache.Finish(alive);
  }

  // Adds what a node's access and its checks read, and leaves its value in the path; false if it
  // shall be walked.
  bool RecordNode(int index, const sources::SourceRoots& roots) {
    FlatNode& node = flat.nodes[index];
    BorrowedRef parent = path[node.depth];
    if (read_set_cache.MustWalk(index)) return false;
    sources::PathReads& reads = read_set_cache.Enter(index);
    BorrowedRef value = sources::AccessWithCell(node.source, parent, roots, node.cell);
    path[node.depth + 1] = value;
    const bool told = value != Unreadable() &&
                      sources::ReadAccess(node.source, parent, roots, reads) &&
                      ReadChecks(node, value, reads.memory);
    if (!told) read_set_cache.TakeBack(index);
    return told;
  }

  bool ReadChecks(const FlatNode& node, BorrowedRef value, ReadSet& reads) const {
    for (int i = node.first_check; i < node.first_check + node.num_checks; ++i) {
      const FlatCheck& check = flat.checks[i];
      if (!ReadCheck(check.guard, value, reads)) return false;
      for (int k = check.first_key; k < check.first_key + check.num_keys; ++k) {
        if (flat.keys[k].place != nullptr) reads.Add(flat.keys[k].place);
      }
    }
    return true;
  }

  std::vector<Entry> entries;
  TreePlan plan;
  FlatTree flat;                  // its nodes' cells change as the walk learns where names are
  std::vector<BorrowedRef> path;  // path[d + 1]: value of the node at depth d; path[0]: null
  ReadSetCache read_set_cache;
};

GuardTree::GuardTree() : impl_(std::make_unique<Impl>()) {}
GuardTree::~GuardTree() = default;

int GuardTree::AddEntry(absl::Span<const Guard> guards,
                        absl::Span<const sources::Source* const> loads) {
  const int entry = num_entries();
  DYNACC_CHECK(entry < kMaxEntries) << "a guard tree is full";
  impl_->entries.push_back({{guards.begin(), guards.end()}, {loads.begin(), loads.end()}});
  for (const Guard& guard : guards) impl_->plan.AddGuard(entry, guard);
  for (const sources::Source* source : loads) impl_->plan.AddLoad(entry, source);
  impl_->flat = impl_->plan.Flatten();
  impl_->path.assign(impl_->flat.max_depth + 2, nullptr);
  impl_->read_set_cache.Reset(impl_->flat.nodes.size());
  return entry;
}

int GuardTree::SlotOf(const sources::Source* source) const { return impl_->plan.SlotOf(source); }
int GuardTree::num_slots() const { return impl_->plan.num_slots(); }
int GuardTree::num_entries() const { return static_cast<int>(impl_->entries.size()); }

uint64_t GuardTree::Match(const sources::SourceRoots& roots, absl::Span<BorrowedRef> slots) const {
  if (impl_->read_set_cache.Holds(roots)) return impl_->Follow(roots, slots);
  const int count = num_entries();
  const EntrySet all = count == 0 ? 0 : ~EntrySet{0} >> (kMaxEntries - count);
  const int num_nodes = static_cast<int>(impl_->flat.nodes.size());
  const EntrySet alive = impl_->Walk(0, num_nodes, all, roots, slots);
  if (impl_->read_set_cache.IsDue(alive != 0)) impl_->Record(all, roots);
  return alive;
}

std::vector<const Guard*> GuardTree::Misses(int entry, const sources::SourceRoots& roots) const {
  std::vector<const Guard*> misses;
  for (const Guard& guard : impl_->entries[entry].guards) {
    if (!CheckGuard(guard, Resolve(*guard.source, roots))) misses.push_back(&guard);
  }
  return misses;
}

std::string GuardTree::ExplainMiss(int entry, const sources::SourceRoots& roots) const {
  for (const Guard& guard : impl_->entries[entry].guards) {
    BorrowedRef value = Resolve(*guard.source, roots);
    if (!CheckGuard(guard, value)) {
      return absl::StrCat(guard.ToString(), ": ", ExplainGuard(guard, value));
    }
  }
  for (const sources::Source* load : impl_->entries[entry].loads) {
    if (Resolve(*load, roots) == Unreadable()) {
      return absl::StrCat(load->ToString(), ": only Python code could tell");
    }
  }
  return "";
}

bool GuardTree::HasGone() const {
  for (const Impl::Entry& entry : impl_->entries) {
    for (const Guard& guard : entry.guards) {
      if (guard.object.is_gone()) return true;
    }
  }
  return false;
}

std::string GuardTree::Describe(int entry) const {
  std::string text;
  for (const Guard& guard : impl_->entries[entry].guards) {
    absl::StrAppend(&text, guard.ToString(), "\n");
  }
  return text;
}

}  // namespace dynacc::guards
