// Segments: the compiled stretches of one code object, by the instruction that they start at.
//
// A segment holds a guard tree and the entries that it chooses among. What an entry does is
// immutable (EntryCode); its compiled graph is replaced by a faster one when it proves hot
// (EntryTier). Everything here is used under the GIL.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "codegen/compile/compile_queue.h"
#include "codegen/ir/graph.h"
#include "frontend/cache/code_record.h"
#include "frontend/cache/entry_quota.h"
#include "frontend/cache/function_options.h"
#include "frontend/cache/profitability.h"
#include "frontend/cache/tracing_time.h"
#include "frontend/frame/cost_ledger.h"
#include "frontend/frame_state/frame_state.h"
#include "frontend/guards/guard_tree.h"
#include "frontend/tracer/tracer.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc::loops {
class LoopVersions;
}  // namespace dynacc::loops

namespace dynacc::cache {

class HotTuning;
struct HostPlan;
struct SizeMark;

// What a trace made and nothing changes any more.
struct EntryCode {
  std::unique_ptr<ir::Graph> graph;  // its scalar program is evaluated at every call
  std::vector<ScalarId> conditions;
  std::vector<int> array_slots;   // where the guard tree leaves each array input
  std::vector<int> object_slots;  // ... and each other object that calls in the graph need

  // Objects that must be the same one, or must not be: where the guard tree leaves them.
  struct IdentityCheck {
    int slot_a;
    int slot_b;
    bool same;
  };
  std::vector<IdentityCheck> identities;

  struct ScalarBinding {
    symbolic::ScalarInput::From from;
    int slot;
    int axis;
  };
  std::vector<ScalarBinding> scalar_bindings;
  // The scalar program's values where it has neither inputs nor data-dependent numbers; empty
  // otherwise.
  std::vector<ScalarValue> constant_scalars;

  // Existing arrays that the graph's outputs are written into, as places in array_slots.
  std::vector<int> written;

  std::vector<bool> output_is_scalar;
  std::vector<bool> output_is_native;
  bool reports_errors = true;      // whether floating-point flags that it raises may be reported
  bool knows_error_state = false;  // ... and then surely are
  bool on_device = false;          // what it takes and gives is in a device's memory
  bool calls_library = false;      // some operations are functions of the array library itself
  // Whether bits follow the size of the array library's buffers: sums of floats are cut by it.
  bool needs_usual_buffers = false;
  bool reuses_results = false;  // the option of that name
  int most_threads = 0;         // that a run uses; 0: as many as the process has
  frame_state::FrameState frame_state;
  tracer::SegmentEnd end;
  std::vector<tracer::BranchPlace> branches;  // as TraceResult::branches
  std::vector<guards::Guard> guards;          // for marking what changes as dynamic
  // Of the outermost frame, from the segment's first to its end; those of `branches` apart.
  int instructions = 0;
  int num_operations = 0;  // array operations that the graph holds
};

// What runs an entry's graph, and what is to run it later.
struct EntryTier {
  std::shared_ptr<const executor::CompiledGraph>
      compiled;  // null if the segment computes no arrays
  std::shared_ptr<const executor::CompiledGraph>
      first_tier;                                   // what did before: a run of it may go on
  bool is_final = false;                            // `compiled` is the target that was asked for
  std::string left_out;                             // passes and rules that it did without
  std::shared_ptr<const compile::CompileJob> next;  // the final target's, being made; or null
  uint64_t compile_after = 0;                       // hits before which it is not to be made
  int num_kernels = 0;                              // of its graph, if it was made quickly
  int64_t kernel_nanoseconds = 0;                   // in runs before the final tier
  // What may find a faster graph of the final tier (hot_tuning.h); null: nothing.
  std::shared_ptr<HotTuning> hot;
  // For hosts (host_plan.h), made at the first call from one; null if it has none.
  std::shared_ptr<const HostPlan> host_plan;
  bool asked_for_host_plan = false;
};

// How an entry has done.
struct EntryStatistics {
  uint64_t hits = 0;
  uint32_t visits_before = 0;    // of its segment, when it was made
  uint32_t fallback_runs = 0;    // instead: the interpreter had to run the stretch
  uint32_t visits_left_out = 0;  // for that reason
  ProfitabilityTest trial;

  // Whether it could not be run more often than it could.
  bool SeldomRuns() const;
  // Whether this visit goes without it for that reason: then it is only tried now and then.
  bool StaysPlain();
};

// What nobody but dynacc.explain and reports asks about an entry.
struct EntryAccount {
  std::vector<bool> covered;  // as TraceResult::covered
  int64_t runs = 0;           // timed for a report (runtime/executor/measure.h) ...
  int64_t nanoseconds = 0;    // ... and what they took
};

// One compiled variant of a segment.
struct Entry : EntryCode {
  EntryTier tier;
  EntryStatistics statistics;
  EntryTally tally;
  EntryAccount account;
};

// One graph break, for dynacc.explain.
struct BreakNote {
  std::string reason;
  std::vector<frame::CodePlace> places;  // as SegmentEnd::places

  bool operator==(const BreakNote&) const = default;
};

// A trace made although the segment had entries.
struct RecompileNote {
  int line;
  std::string reason;  // what did not hold of the entry before

  bool operator==(const RecompileNote&) const = default;
};

class Segment : public symbolic::DynamicMarks {
 public:
  Segment(int offset, int stack_depth) : offset(offset), stack_depth(stack_depth) {}

  bool IsDynamic(const sources::Source& source, symbolic::ScalarInput::From from,
                 int axis) const override;
  symbolic::SizeBounds BoundsOf(const sources::Source& source, int axis) const override;
  bool TakesDataDependentSizes() const override { return takes_data_dependent_sizes; }
  // Marks what differs between the values that `entry` was made for and those at hand.
  void MarkChanges(const Entry& entry, const sources::SourceRoots& roots);

  // Whether a trace now is worth its time. One for new values costs as much as hundreds of plain
  // runs; where no entry ran again since the one before, the values are new each time, and the
  // waits until the next trace grow, each twice as many visits as the last.
  bool MayTrace() const { return visits >= next_trace; }
  // To be called after each trace.
  void NoteTrace();
  // The one way into an entry. Shows `visit` the entries whose guards hold for `roots`, and what
  // the guard tree found (`slots`), in the tree's order, until it returns true; then so does this.
  bool VisitMatching(const sources::SourceRoots& roots,
                     absl::FunctionRef<bool(Entry& entry, absl::Span<BorrowedRef> slots)> visit);
  // To be called when an entry has run; and when one was made.
  void NoteHit(Entry& entry);
  void NoteUse() { last_use = EntryTally::made(); }

  const int offset;
  const int stack_depth;
  bool all_dynamic = false;  // sizes are inputs from the start
  bool never_dynamic = false;
  bool takes_data_dependent_sizes = true;
  const sources::SourceRoots* traced = nullptr;  // of the trace under way; null: there is none
  sources::SourceTable sources;
  guards::GuardTree guards;
  std::vector<std::unique_ptr<Entry>> entries;

  int tracing = 0;             // traces under way, whose sources are in `sources`
  uint32_t visits = 0;         // times control came here
  uint32_t failures = 0;       // traces that gave nothing
  uint32_t next_trace = 0;     // the visit before which there is no trace
  uint32_t idle_traces = 0;    // in a row, each without a second run of an entry before the next
  uint64_t hits_at_trace = 0;  // of all its entries, at the last trace
  uint64_t last_use = 0;       // when an entry was made or last ran, by EntryTally::made
  absl::flat_hash_map<std::string, int> misses;  // guards of entries that did not fit, by text
  bool empty = false;                            // its first instruction breaks: step over it
  bool exhausted = false;                        // no more entries are made

 private:
  const SizeMark* MarkOf(const sources::Source& source, int axis) const;

  absl::flat_hash_set<std::tuple<const sources::Source*, int, int>> dynamic_;
};

// Segments that are to be freed when nothing is being gone through any more: finalisers may run
// then, and with them any code.
struct DroppedSegments {
  DroppedSegments();
  ~DroppedSegments();
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<std::unique_ptr<loops::LoopVersions>> loops;
};

// All segments of one code object in one compilation.
class SegmentSet : public SegmentSetBase {
 public:
  explicit SegmentSet(Compilation* compilation);
  ~SegmentSet() override;

  // Null: the default policy's.
  Compilation* compilation() const { return compilation_; }
  const FunctionOptions& options() const;

  Segment& At(int offset, int stack_depth);
  // The segment of the first instruction; null if there is none yet.
  Segment* First() const { return places_.empty() ? nullptr : places_[0].segment; }
  // Forgets all segments, or one. They stay allocated while a frame runs any of this code: it may
  // be that one.
  void Retire();
  void Retire(const Segment& segment);
  // Forgets all that is known of the code. What no frame can be running goes into `dropped`.
  void Clear(DroppedSegments& dropped);
  // The same of one that no frame is running, which is the caller's then.
  std::unique_ptr<Segment> Remove(const Segment& segment);
  const std::vector<std::unique_ptr<Segment>>& all() const { return all_; }

  // Where a segment may start although nothing is compiled there yet: after the instruction at an
  // end, where a trace stopped.
  void NoteEnd(int offset) { PlaceAt(offset).ends = true; }
  bool EndsSegment(int offset) const { return Known(offset) && places_[offset].ends; }
  void NoteStart(int offset) { PlaceAt(offset).starts = true; }
  bool StartsSegment(int offset) const { return Known(offset) && places_[offset].starts; }

  std::vector<BreakNote> breaks;
  std::vector<RecompileNote> recompiles;

  // What the policy found out.
  enum class Nearness : uint8_t { kUnknown, kFar, kNear };
  Nearness near_arrays = Nearness::kUnknown;

  // What running some code brought, and whether that was too little.
  struct Profile {
    WarmUp warm_up;
    frame::CostLedger cost_ledger;
    uint64_t operations_run = 0;  // array operations run by entries
    TraceWait wait;
    bool unprofitable = false;
    // To be called when an entry has run; what that has saved, in nanoseconds.
    int64_t NoteHit(const Entry& entry);
    int64_t unprofitable_elements = 0;  // when it was: of the largest array among the arguments
  };
  Profile profile;  // of whole frames

  // Of loops that are run one by one (osr_frame.h), by header.
  struct LoopRecord {
    Profile profile;
    uint32_t handed_back = 0;  // times that CPython got the loop back in the middle
  };
  LoopRecord& LoopAt(int header) { return loops_[header]; }
  // Whether some of them has brought something.
  bool HasGoodLoop() const;
  // Forgets what was found not to be worth it.
  void TryAgain();
  // To be called for each frame that CPython gets because its code is not worth it. Whether that is
  // to be found out again, as another program may have disturbed the clock: after kFirstPause
  // frames, then after eight times as many as the last time.
  bool IsTimeToTryAgain();
  static constexpr uint64_t kFirstPause = 2'000;
  // Such frames are timed now and then: those that take kMuchLonger times as long as when the code
  // was found not to be worth it do other work, as on more elements, and it is to be found out
  // again. IsTimed: whether this one is. NoteTime: after several in a row.
  bool IsTimed() const { return frames_in_pause_ % kFramesBetweenTimings == 0; }
  void NoteTime(int64_t nanoseconds);
  static constexpr uint64_t kFramesBetweenTimings = 16;
  static constexpr int64_t kMuchLonger = 8;
  // Its loops as loops over elements; made when the first is met.
  std::unique_ptr<loops::LoopVersions> loop_versions;
  bool no_loops = false;  // code outside functions in which there is nothing to find

 private:
  // What is known of an instruction. In compiled code the stack has one depth there; in code made
  // by hand it may have others, whose segments are in other_depths_.
  struct Place {
    Segment* segment = nullptr;
    bool starts = false;
    bool ends = false;
  };
  bool Known(int offset) const { return offset < static_cast<int>(places_.size()); }
  Place& PlaceAt(int offset);
  Segment* NewSegment(int offset, int stack_depth);
  friend class RunningScope;

  Compilation* const compilation_;
  std::vector<std::unique_ptr<Segment>> all_;
  std::vector<std::unique_ptr<Segment>> retired_;  // freed when no frame runs them
  std::vector<Place> places_;                      // by offset
  absl::flat_hash_map<std::pair<int, int>, Segment*> other_depths_;
  absl::node_hash_map<int, LoopRecord> loops_;
  uint64_t pause_ = kFirstPause;
  uint64_t frames_in_pause_ = 0;
  int64_t shortest_in_pause_ = INT64_MAX;  // nanoseconds
  int much_longer_ = 0;                    // frames that were timed in a row
  int least_much_longer_ = 2;              // for another try; doubled at each
};

// Forgets the segments of all code, in all compilations. What a frame is running stays allocated
// until it has run, and frames with segments under way trace anew, unless they are left alone: then
// they go on with what they have. Runs finalisers of what only the segments kept alive.
enum class RunningFrames { kTraceAnew, kLeftAlone };
void DropAllSegments(RunningFrames running);

// Keeps the segments from being dropped, and retired ones from being freed.
class RunningScope {
 public:
  explicit RunningScope(SegmentSet& set) : set_(set) { ++set_.running; }
  ~RunningScope() {
    if (--set_.running > 0 || set_.retired_.empty()) return;
    // Finalisers may run, and this code with them.
    const std::vector<std::unique_ptr<Segment>> freed = std::move(set_.retired_);
    set_.retired_.clear();
  }
  RunningScope(const RunningScope&) = delete;
  RunningScope& operator=(const RunningScope&) = delete;

 private:
  SegmentSet& set_;
};

}  // namespace dynacc::cache
