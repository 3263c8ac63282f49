#include "frontend/cache/segment.h"

#include <algorithm>

#include "boost/container/small_vector.hpp"
#include "frontend/cache/compilation.h"
#include "frontend/cache/size_marks.h"
#include "frontend/guards/array_checks.h"
#include "frontend/loops/loop_versions.h"
#include "runtime/base/stats.h"

namespace dynacc::cache {
namespace {

// What a guard pins that may become an input instead; false for other guards.
bool PinnedNumber(const guards::Guard& guard, symbolic::ScalarInput::From* from, int* axis) {
  *axis = 0;
  switch (guard.kind) {
    case guards::GuardKind::kDimEquals:
      *from = symbolic::ScalarInput::From::kDim;
      *axis = static_cast<int>(guard.a);
      return true;
    case guards::GuardKind::kIntEquals:
      *from = symbolic::ScalarInput::From::kInt;
      return true;
    case guards::GuardKind::kFloatEquals:
      *from = symbolic::ScalarInput::From::kFloat;
      return true;
    default:
      return false;
  }
}

}  // namespace

bool Segment::IsDynamic(const sources::Source& source, symbolic::ScalarInput::From from,
                        int axis) const {
  if (from == symbolic::ScalarInput::From::kDim) {
    if (const SizeMark* mark = MarkOf(source, axis)) return mark->dynamic;
  }
  if (never_dynamic) return false;
  if (all_dynamic && from == symbolic::ScalarInput::From::kDim) return true;
  return dynamic_.contains({&source, static_cast<int>(from), axis});
}

symbolic::SizeBounds Segment::BoundsOf(const sources::Source& source, int axis) const {
  const SizeMark* const mark = MarkOf(source, axis);
  return mark == nullptr ? symbolic::SizeBounds() : symbolic::SizeBounds{mark->min, mark->max};
}

// What the program has said of an axis of the array at hand; null: nothing.
const SizeMark* Segment::MarkOf(const sources::Source& source, int axis) const {
  const BorrowedRef array = traced == nullptr ? nullptr : sources::ResolveSource(source, *traced);
  return array == nullptr ? nullptr : FindSizeMark(array, axis);
}

void Segment::MarkChanges(const Entry& entry, const sources::SourceRoots& roots) {
  for (const guards::Guard& guard : entry.guards) {
    symbolic::ScalarInput::From from;
    int axis;
    if (!PinnedNumber(guard, &from, &axis)) continue;
    BorrowedRef value = sources::ResolveSource(*guard.source, roots);
    if (value == nullptr || guards::CheckGuard(guard, value)) continue;
    dynamic_.insert({guard.source, static_cast<int>(from), axis});
  }
}

bool EntryStatistics::SeldomRuns() const {
  constexpr uint32_t kFallbackRunsBeforeJudging = 4;
  return fallback_runs > kFallbackRunsBeforeJudging && fallback_runs > hits;
}

bool EntryStatistics::StaysPlain() {
  constexpr uint32_t kVisitsBetweenTries = 64;
  return SeldomRuns() && ++visits_left_out % kVisitsBetweenTries != 0;
}

bool Segment::VisitMatching(const sources::SourceRoots& roots,
                            absl::FunctionRef<bool(Entry&, absl::Span<BorrowedRef>)> visit) {
  boost::container::small_vector<BorrowedRef, 32> slots(guards.num_slots(), nullptr);
  const absl::Span<BorrowedRef> found = absl::MakeSpan(slots.data(), slots.size());
  for (uint64_t matching = guards.Match(roots, found); matching != 0; matching &= matching - 1) {
    if (visit(*entries[__builtin_ctzll(matching)], found)) return true;
  }
  return false;
}

void Segment::NoteHit(Entry& entry) {
  ++entry.statistics.hits;
  NoteUse();
  Count(ThreadStats().entries_hit);
}

void Segment::NoteTrace() {
  constexpr uint32_t kIdleTraces = 3;  // that wait for nothing
  constexpr uint32_t kMostDoublings = 16;
  uint64_t hits = 0;
  for (const std::unique_ptr<Entry>& entry : entries) hits += entry->statistics.hits;
  // A new entry runs once at once.
  idle_traces = hits - hits_at_trace > 1 ? 0 : idle_traces + 1;
  hits_at_trace = hits;
  if (idle_traces > kIdleTraces) {
    next_trace = visits + (4u << std::min(idle_traces - kIdleTraces, kMostDoublings));
  }
}

DroppedSegments::DroppedSegments() = default;
DroppedSegments::~DroppedSegments() = default;

SegmentSet::SegmentSet(Compilation* compilation) : compilation_(compilation) {}
SegmentSet::~SegmentSet() = default;

const FunctionOptions& SegmentSet::options() const {
  static const FunctionOptions& defaults = *new FunctionOptions;
  return compilation_ == nullptr ? defaults : compilation_->options();
}

void SegmentSet::Retire() {
  for (std::unique_ptr<Segment>& segment : all_) retired_.push_back(std::move(segment));
  all_.clear();
  places_.clear();
  other_depths_.clear();
}

void SegmentSet::Retire(const Segment& segment) {
  if (std::unique_ptr<Segment> removed = Remove(segment)) retired_.push_back(std::move(removed));
}

void SegmentSet::Clear(DroppedSegments& dropped) {
  Retire();
  breaks.clear();
  near_arrays = Nearness::kUnknown;
  if (running > 0) return;  // frames use the rest; what is retired goes when they have run
  profile = {};
  loops_.clear();
  dropped.loops.push_back(std::move(loop_versions));
  for (std::unique_ptr<Segment>& segment : retired_) dropped.segments.push_back(std::move(segment));
  retired_.clear();
}

std::unique_ptr<Segment> SegmentSet::Remove(const Segment& segment) {
  for (Place& place : places_) {
    if (place.segment == &segment) place.segment = nullptr;
  }
  absl::erase_if(other_depths_, [&](const auto& row) { return row.second == &segment; });
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [&](const auto& one) { return one.get() == &segment; });
  if (found == all_.end()) return nullptr;
  std::unique_ptr<Segment> removed = std::move(*found);
  all_.erase(found);
  return removed;
}

void DropAllSegments(RunningFrames running) {
  DroppedSegments dropped;
  ForEachCodeRecord([&](CodeRecord& record) {
    record.ForEachSet([&](SegmentSetBase& base) {
      if (base.running > 0 && running == RunningFrames::kLeftAlone) return;
      static_cast<SegmentSet&>(base).Clear(dropped);
    });
  });
}

int64_t SegmentSet::Profile::NoteHit(const Entry& entry) {
  const int64_t saving = entry.statistics.trial.Saving(entry.num_operations);
  operations_run += entry.num_operations;
  cost_ledger.Add(saving);
  return saving;
}

bool SegmentSet::HasGoodLoop() const {
  for (const auto& [header, record] : loops_) {
    const Profile& profile = record.profile;
    if (profile.operations_run > 0 && !profile.unprofitable && !profile.cost_ledger.IsLoss())
      return true;
  }
  return false;
}

void SegmentSet::TryAgain() {
  shortest_in_pause_ = INT64_MAX;
  much_longer_ = 0;
  profile.cost_ledger = {};
  profile.unprofitable = false;
  for (auto& [header, record] : loops_) record = {};
  for (const std::unique_ptr<Segment>& segment : all_) {
    for (const std::unique_ptr<Entry>& entry : segment->entries) entry->statistics.trial = {};
    if (!segment->entries.empty()) continue;
    segment->failures = 0;
    segment->exhausted = false;
  }
}

bool SegmentSet::IsTimeToTryAgain() {
  if (++frames_in_pause_ < pause_) return false;
  frames_in_pause_ = 0;
  pause_ *= 8;
  return true;
}

void SegmentSet::NoteTime(int64_t nanoseconds) {
  const bool is_much_longer = shortest_in_pause_ <= nanoseconds / kMuchLonger;
  shortest_in_pause_ = std::min(shortest_in_pause_, nanoseconds);
  much_longer_ = is_much_longer ? much_longer_ + 1 : 0;
  if (much_longer_ < least_much_longer_) return;
  least_much_longer_ *= 2;
  TryAgain();
}

SegmentSet::Place& SegmentSet::PlaceAt(int offset) {
  if (!Known(offset)) places_.resize(offset + 1);
  return places_[offset];
}

Segment* SegmentSet::NewSegment(int offset, int stack_depth) {
  all_.push_back(std::make_unique<Segment>(offset, stack_depth));
  return all_.back().get();
}

Segment& SegmentSet::At(int offset, int stack_depth) {
  Place& place = PlaceAt(offset);
  if (place.segment == nullptr) place.segment = NewSegment(offset, stack_depth);
  if (place.segment->stack_depth == stack_depth) return *place.segment;
  Segment*& other = other_depths_[{offset, stack_depth}];
  if (other == nullptr) other = NewSegment(offset, stack_depth);
  return *other;
}

}  // namespace dynacc::cache
