// Horizontal fusion: independent elementwise groups of one shape that read the same array become
// one kernel, which reads it once.
#include <set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
namespace {

// An array that more groups read is no reason to join two of them: every pair would be looked at.
constexpr size_t kMostReaders = 64;

// Whether reading the operand once instead of twice saves anything.
bool IsWorthSharing(const ir::Node* operand) {
  return BaseOf(operand)->rank() > 0 && BaseOf(operand)->op != Op::kFull;
}

bool CanFuse(const FusionState& state, int a, int b) {
  return state.group(a).root()->shape == state.group(b).root()->shape && !state.Reaches(a, b) &&
         !state.Reaches(b, a) && state.WhyApart(a, b).empty();
}

// Which elementwise groups read an array. Compile time would grow with the square of the graph's
// size if each group were compared with each.
class Readers {
 public:
  explicit Readers(const FusionState& state) : state_(state) {
    for (int g = 0; g < state.num_groups(); ++g) {
      if (!IsElementwise(g)) continue;
      for (const ir::Node* operand : ExternalOperands(state.group(g))) {
        if (IsWorthSharing(operand)) readers_[operand].push_back(g);
      }
    }
  }

  bool IsElementwise(int g) const {
    return state_.alive(g) && state_.group(g).kind == GroupKind::kElementwise;
  }

  // Adds the groups after `after` that read what group `g` reads.
  void AddReaders(int g, int after, std::set<int>& candidates) const {
    for (const ir::Node* operand : ExternalOperands(state_.group(g))) {
      const auto found = readers_.find(operand);
      if (found == readers_.end() || found->second.size() > kMostReaders) continue;
      for (const int reader : found->second) {
        if (reader > after) candidates.insert(reader);
      }
    }
  }

 private:
  const FusionState& state_;
  absl::flat_hash_map<const ir::Node*, std::vector<int>> readers_;  // in ascending order
};

}  // namespace

void FuseSiblings(FusionState& state) {
  const Readers readers(state);
  for (int a = 0; a < state.num_groups(); ++a) {
    if (!readers.IsElementwise(a)) continue;
    std::set<int> candidates;
    readers.AddReaders(a, a, candidates);
    while (!candidates.empty()) {
      const int b = *candidates.begin();
      candidates.erase(candidates.begin());
      if (!readers.IsElementwise(b) || !CanFuse(state, a, b)) continue;
      state.Note(absl::StrCat("fused ", NodeName(state.group(b).root()), " beside ",
                              NodeName(state.group(a).root())));
      state.Merge(b, a);
      readers.AddReaders(a, b, candidates);
    }
  }
}

}  // namespace dynacc::schedule
