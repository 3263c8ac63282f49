#include "codegen/compile/donation.h"

#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"

namespace dynacc::compile {
namespace {

bool AreAsLarge(const executor::BufferPlan& a, const executor::BufferPlan& b) {
  return ItemSize(a.dtype) == ItemSize(b.dtype) && a.shape.rank == b.shape.rank &&
         std::equal(a.shape.sizes, a.shape.sizes + a.shape.rank, b.shape.sizes);
}

class DonationPlanner {
 public:
  DonationPlanner(const BufferUses& uses, std::vector<executor::BufferPlan>& buffers)
      : uses_(uses), buffers_(buffers), memory_of_(buffers.size()), ending_(NumSteps()) {
    std::iota(memory_of_.begin(), memory_of_.end(), 0);
    // What is aliased was made before what aliases it.
    for (const auto& [alias, under] : uses.aliases) memory_of_[alias] = memory_of_[under];
    for (size_t i = 0; i < buffers.size(); ++i) {
      const int last = uses.last[i];
      if (buffers[i].kind == executor::BufferKind::kTemporary && last >= 0 && last < NumSteps()) {
        ending_[last].push_back(static_cast<int>(i));
      }
    }
  }

  // Backwards: what an aliased buffer aliases itself is known by then.
  void Plan() {
    for (auto use = uses_.all.rbegin(); use != uses_.all.rend(); ++use) {
      if (use->access == BufferAccess::kComputes && MayBeAliased(use->buffer)) Settle(*use);
    }
  }

 private:
  int NumSteps() const { return static_cast<int>(uses_.together.size()); }

  bool MayBeAliased(int buffer) const {
    const executor::BufferPlan& plan = buffers_[buffer];
    return plan.shape.rank > 0 && (plan.kind == executor::BufferKind::kTemporary ||
                                   plan.kind == executor::BufferKind::kOutput);
  }

  // Finds the temporary that is to alias the computed result.
  void Settle(const BufferUse& computed) {
    const int to = computed.buffer;
    const int aliased_buffer = buffers_[to].aliased_buffer < 0 ? to : buffers_[to].aliased_buffer;
    for (const int from : ending_[computed.step]) {
      if (from == to || buffers_[from].aliased_buffer >= 0 ||
          !AreAsLarge(buffers_[from], buffers_[to]) || !IsReadInPlace(from, computed.step)) {
        continue;
      }
      buffers_[from].aliased_buffer = aliased_buffer;
      return;
    }
  }

  // Whether `step`, and all that run with it up to there, read each element at its own place only.
  bool IsReadInPlace(int buffer, int step) const {
    const auto begin =
        absl::c_lower_bound(uses_.all, uses_.together[step],
                            [](const BufferUse& use, int first) { return use.step < first; });
    bool is_read = false, is_made = false;
    for (auto use = begin; use != uses_.all.end() && use->step <= step; ++use) {
      if (memory_of_[use->buffer] != memory_of_[buffer]) continue;
      if (use->buffer != buffer || use->access == BufferAccess::kReadsElse) return false;
      is_made |= use->access == BufferAccess::kMakes || use->access == BufferAccess::kComputes;
      if (use->step != step) continue;
      if (use->access != BufferAccess::kReads) return false;
      is_read = true;
    }
    const bool restarts = !uses_.restarts.empty() && uses_.restarts[step];
    return is_read && (is_made || !restarts);
  }

  const BufferUses& uses_;
  std::vector<executor::BufferPlan>& buffers_;
  std::vector<int> memory_of_;            // of each buffer: the one that it may alias
  std::vector<std::vector<int>> ending_;  // of each step: temporaries that it is the last to touch
};

}  // namespace

void PlanDonations(const BufferUses& uses, std::vector<executor::BufferPlan>& buffers) {
  DonationPlanner(uses, buffers).Plan();
}

}  // namespace dynacc::compile
