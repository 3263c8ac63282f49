// ReadSetCache: what a walk of the guard tree read, so that the next walk can be skipped.
//
// Most of what guards ask about stays as it is from call to call: modules, functions, classes,
// settings, a model's weights. A read-set cache has what the walk read of such things (ReadSet) and
// where it ended: which entries are left, and what is in the slots. While nothing of it has changed
// only the subtrees that are new at each call are walked; these are called detours. A node whose
// reads have changed twice becomes one, and so does a node of a kind whose reads cannot be told
// (access_reads.cc, check_reads.cc).
//
// Which entries a read-set cache leaves depends on its own nodes only, not on what detours rule
// out: they may come after it in any order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "frontend/sources/access_reads.h"

namespace dynacc::guards {

class ReadSetCache {
 public:
  struct Detour {
    int node;
    BorrowedRef parent;  // the value of the node's parent
  };

  // For a tree of so many nodes, of which nothing is known yet.
  void Reset(size_t num_nodes);

  // --- Following

  // Whether there is a read-set cache, and it leads where it led. If it does not, it is gone.
  bool Holds(const sources::SourceRoots& roots) {
    if (!ready_) return false;
    const int changed = reads_.FindChange(roots);
    if (changed != ReadSet::kUnchanged) return Leave(changed);
    if (++holds_ % kHoldsPerRecording == 0) Earn();
    return true;
  }

  uint64_t alive() const { return alive_; }
  absl::Span<const Detour> detours() const { return detours_; }

  void FillSlots(absl::Span<BorrowedRef> slots) const {
    for (const auto& [slot, value] : slots_) slots[slot] = value;
  }

  // --- Recording

  // Called after each walk that was not spared, `matched` if it left an entry: whether to record
  // the read-set cache now, with a walk of its own. It takes some calm, and is not done for ever
  // where there is none.
  bool IsDue(bool matched);

  // Records: Start, for each node in the order of the walk Enter or AddDetour, Finish.
  void Start();
  bool MustWalk(int node) const { return strikes_[node] >= kStrikes; }
  sources::PathReads& Enter(int node);
  void Keep(int slot, BorrowedRef value) { slots_.emplace_back(slot, value); }
  // The reads of `node`, which was entered last, cannot be told: it becomes a detour for good.
  void TakeBack(int node);
  void AddDetour(int node, BorrowedRef parent);
  void Finish(uint64_t alive);

 private:
  static constexpr int kStrikes = 2;
  static constexpr int kCalmWalks = 32;   // recording takes the time of some hundred
  static constexpr int kRecordings = 24;  // at once; then as many as have been earned
  static constexpr int64_t kHoldsPerRecording = 1024;
  static constexpr int kWorthwhile = 2;  // nodes; fewer are walked as quickly

  bool Leave(int changed);
  void Earn() { credit_ += credit_ < kRecordings ? 1 : 0; }

  sources::PathReads reads_;
  std::vector<Detour> detours_;
  std::vector<std::pair<int, BorrowedRef>> slots_;
  std::vector<uint8_t> strikes_;  // of each node
  sources::PathReads::Mark entered_ = {};
  uint64_t alive_ = 0;
  int64_t holds_ = 0;
  int credit_ = 0;
  int calm_ = 0;
  int num_nodes_ = 0;  // of the read-set cache
  bool ready_ = false;
};

}  // namespace dynacc::guards
