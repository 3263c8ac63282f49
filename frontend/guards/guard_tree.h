// GuardTree: which compiled entries of a segment fit the values of a call, in one walk.
//
// Inner nodes are accesses (Sources) shared by all entries; at each hang the checks that the
// entries need, each check once with the set of entries that require it. The walk fetches each
// source at most once, keeps the set of entries still possible, skips subtrees that none of them
// needs, and stops when the set is empty. Checks that tell entries apart come first.
//
// Not thread-safe by itself: used under the GIL.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "frontend/guards/guard.h"

namespace dynacc::guards {

// Entries of one tree; the limit is the width of an entry set.
inline constexpr int kMaxEntries = 64;

class GuardTree {
 public:
  GuardTree();
  ~GuardTree();

  // Adds the next entry (0, 1, ...) with its guards. `loads` are sources whose values the entry
  // uses (array inputs, numbers, values to put back); the tree gives each a slot.
  // Returns the entry's index. At most kMaxEntries.
  // The sources must outlive the tree.
  int AddEntry(absl::Span<const Guard> guards, absl::Span<const sources::Source* const> loads);

  // The slot in which Match leaves the value of `source`, or -1 if no entry loads it.
  int SlotOf(const sources::Source* source) const;
  int num_slots() const;
  int num_entries() const;

  // The set of entries (bit i: entry i) all of whose guards hold. `slots` has num_slots() places;
  // those of the matching entries' loads are set (borrowed; null if absent), the others are
  // unspecified. An entry that would need to know what only Python code can tell does not match.
  // Runs no Python code, allocates nothing, sets no exception.
  uint64_t Match(const sources::SourceRoots& roots, absl::Span<BorrowedRef> slots) const;

  // The guards of `entry` that do not hold, in the order in which they were given. Slow: for
  // deciding what to do after a miss. The pointers are valid until the next AddEntry.
  std::vector<const Guard*> Misses(int entry, const sources::SourceRoots& roots) const;

  // Whether an entry can never match again, as an object that it was made for is gone. Slow.
  bool HasGone() const;

  // The first guard of `entry` that does not hold, explained; empty if all hold.
  std::string ExplainMiss(int entry, const sources::SourceRoots& roots) const;

  // All guards of `entry`, one a line.
  std::string Describe(int entry) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynacc::guards
