#include "frontend/capture/branch_profile.h"

#include <algorithm>
#include <memory>

#include "absl/strings/numbers.h"
#include "frontend/capture/stance.h"
#include "runtime/base/options.h"

namespace dynacc::capture {
namespace {

// A trace of both sides takes some hundreds of microseconds, and saves about one for each break.
constexpr uint64_t kUsualBreaks = 200;
constexpr uint64_t kNever = ~uint64_t{0};

// DYNACC_BRANCHES_AFTER.
uint64_t BreaksBefore(const cache::FunctionOptions& options) {
  const std::string& text = options.Setting("branches_after", ProcessOptions().branches_after);
  uint64_t breaks = 0;
  if (text == "never") return kNever;
  return absl::SimpleAtoi(text, &breaks) ? breaks : kUsualBreaks;
}

cache::BranchSides* StateOf(const tracer::BranchPlace& branch, bool makes) {
  const std::shared_ptr<const bytecode::DecodedCode> code = branch.code.lock();
  if (branch.jump < 0 || code == nullptr) return nullptr;
  cache::CodeRecord* const record = cache::FindCodeRecord(code->code());
  if (record == nullptr) return nullptr;
  if (makes) return &record->branches.try_emplace(branch.jump).first->second;
  const auto found = record->branches.find(branch.jump);
  return found == record->branches.end() ? nullptr : &found->second;
}

}  // namespace

bool WantsBothSides(const cache::FunctionOptions& options, const bytecode::DecodedCode& code,
                    int jump) {
  const cache::CodeRecord* const record = cache::FindCodeRecord(code.code());
  if (record == nullptr) return false;
  const auto found = record->branches.find(jump);
  if (found == record->branches.end()) return BreaksBefore(options) == 0;
  return found->second == cache::BranchSides::kWanted;
}

void NoteEnd(const tracer::BranchPlace& branch) {
  cache::BranchSides* const state = StateOf(branch, branch.was_tried);
  // One that is wanted and was not even tried would not be the next time, either.
  if (state != nullptr) *state = cache::BranchSides::kRefused;
}

void NoteBreakAtBranch(cache::SegmentSet& set, const cache::Segment& segment,
                       const cache::Entry& entry) {
  const uint64_t breaks = BreaksBefore(set.options());
  // Once more later, for a callee's branch that became wanted meanwhile.
  const uint64_t hits = entry.statistics.hits;
  if (breaks == kNever || hits < breaks || hits % std::max<uint64_t>(breaks, 1) != 0) return;
  if (CurrentStance() != Stance::kDefault) return;
  const cache::BranchSides* const known = StateOf(entry.end.branch, false);
  if (known != nullptr && *known == cache::BranchSides::kRefused) return;
  cache::BranchSides* const state = StateOf(entry.end.branch, true);
  if (state == nullptr) return;
  *state = cache::BranchSides::kWanted;
  std::erase(set.breaks, cache::BreakNote{entry.end.reason, entry.end.places});
  set.Retire(segment);
}

void NoteFallbackRun(cache::SegmentSet& set, const cache::Segment& segment,
                     const cache::Entry& entry) {
  if (entry.branches.empty() || !entry.statistics.SeldomRuns()) return;
  for (const tracer::BranchPlace& branch : entry.branches) {
    if (cache::BranchSides* const state = StateOf(branch, true))
      *state = cache::BranchSides::kRefused;
  }
  set.Retire(segment);
}

}  // namespace dynacc::capture
