// Tracer: executes a stretch of bytecode symbolically, from one instruction of a live frame on.
//
// It reads the frame's real values (never changing anything), follows the code through calls of
// Python functions (inlined), branches on numbers and short loops, and builds a graph, guards and
// a frame state. It stops where the frame returns, at a loop's back edge, or before the first
// instruction of the outermost frame that it does not understand.
//
// A handler that does not understand something returns GraphBreak(...). TraceSegment then starts
// over, told to stop before that instruction, so handlers need not undo anything.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/frame/source_line.h"
#include "frontend/frame_state/frame_state.h"
#include "frontend/symbolic/trace_context.h"
#include "frontend/tracer/branch_oracle.h"
#include "frontend/tracer/break_places.h"
#include "frontend/tracer/symbolic_frame.h"

namespace dynacc::tracer {

// Iterables that are drained at once are followed up to this many items.
inline constexpr size_t kMaxDrained = 256;

// Loops over items known at capture are unrolled up to this many iterations.
inline constexpr int kMaxUnroll = 16;
// ... where the whole call has to be one graph.
inline constexpr int kMaxWholeUnroll = 10000;

// Why a trace ends before a branch on what only the run tells.
inline constexpr absl::string_view kBranchOnValue = "branch on an array's value";

// A conditional jump on an array's value.
struct BranchPlace {
  std::weak_ptr<const bytecode::DecodedCode> code;
  int jump = -1;           // the instruction's start; -1: none
  bool was_tried = false;  // whether both of its sides were traced, or begun to be
};

// Whether such a jump is one both of whose sides are to be traced where they are small.
using WantsBothSides = std::function<bool(const bytecode::DecodedCode& code, int jump)>;

// The live frame that is traced.
struct TraceRoot {
  std::shared_ptr<const bytecode::DecodedCode> code;
  int offset = 0;  // the instruction that the segment starts at
  int stack_depth = 0;
  sources::SourceRoots roots;
  bool is_whole = false;                 // a trace that ends before the return is of no use
  bool inlines_compiled = false;         // calls of compiled functions are part of it, not breaks
  BranchOracle* branches = nullptr;      // null: a branch on an array's value breaks the graph
  WantsBothSides wants_both_sides = {};  // none: only where inlines_compiled says so
  BorrowedRef gradient_rules = nullptr;  // a dict (call_gradients.h); null: not for derivatives
  BorrowedRef decompositions = nullptr;  // TraceContext::SetDecompositions
  std::vector<int> element_loops = {};   // headers of loops that have a program (frontend/loops)
};

// Why and before what a segment ends.
struct SegmentEnd {
  bool returned = false;
  int offset = -1;          // not returned: the instruction that comes next
  bool execute = false;     // whether that instruction must be executed on real objects
  int jump = -1;            // the jump back to `offset` that was the last instruction, or -1
  std::string reason = {};  // of the graph break; empty at a loop's back edge
  int line = 0;             // of that instruction
  // With a reason: the line that it was found at, in an inlined call perhaps, then its callers'.
  std::vector<frame::CodePlace> places = {};
  BranchPlace branch = {};  // that it was found at, perhaps in an inlined call
  // The instruction is the step of an ordinary loop (break_places.h): nobody's graph break, except
  // where the whole call has to be one graph.
  bool is_loop_step = false;
};

struct TraceResult {
  std::unique_ptr<ir::Graph> graph;
  std::vector<guards::Guard> guards;
  std::vector<ScalarId> conditions;
  std::vector<symbolic::IdentityPair> identities;
  std::vector<symbolic::ScalarInput> scalar_inputs;
  std::vector<const sources::Source*> array_inputs;
  std::vector<const sources::Source*> object_inputs;
  std::vector<const ir::Node*> draws;  // TraceContext::draws
  // For each graph output without a target: a scalar object, not an array; a dynacc.Tensor. The
  // others come after.
  std::vector<bool> output_is_scalar;
  std::vector<bool> output_is_native;
  bool reports_errors = true;      // whether floating-point flags that it raises may be reported
  bool knows_error_state = false;  // ... and then surely are
  frame_state::FrameState frame_state;
  SegmentEnd end;
  std::vector<BranchPlace> branches;  // both of whose sides the graph holds
  int instructions = 0;  // of the outermost frame that the segment covers, those of sides apart
  std::vector<bool> covered;  // those, by their places in DecodedCode::instructions
};

class Tracer;

// Traces one instruction of an opcode, and where there is no way to, breaks the graph.
using OpcodeHandler = absl::Status (*)(Tracer& tracer, const bytecode::Instruction& instruction);
using OpcodeHandlers = std::array<OpcodeHandler, 256>;  // by opcode

// Traces the segment that starts at `root` by `handlers` (handlers/handlers.h). The result covers
// at least one instruction, or is empty (instructions == 0) with `end` saying why its first one
// breaks.
absl::StatusOr<TraceResult> TraceSegment(const OpcodeHandlers& handlers, const TraceRoot& root,
                                         arrays::ArrayNamespace& arrays,
                                         sources::SourceTable& sources,
                                         const symbolic::DynamicMarks& marks);

// Why a trace stops before an instruction.
struct TraceStop {
  std::string reason = {};
  std::vector<frame::CodePlace> places = {};  // as SegmentEnd::places; none: that instruction's
  BranchPlace branch = {};                    // as SegmentEnd::branch
  bool raises = false;                        // that instruction is going to raise
};

// What a retry of a trace is told to leave alone.
struct TraceLimits {
  int64_t stop_before = -1;  // the n-th instruction of the outermost frame; -1: none
  TraceStop stop = {};
  bool allow_iterators = true;  // zip, enumerate ... as values
  bool allow_generators = true;
  bool merge_arrays = false;  // one value for each array object
  // The instructions, counted as `stop_before`, whose `a[mask]` is an array of a data-dependent
  // size.
  absl::flat_hash_set<int64_t> reads_selected = {};
  // What the trace broke for not being there: it holds as long as that is so.
  std::vector<const sources::Source*> absent = {};
};

class FrameStateBuilder;

class Tracer {
 public:
  Tracer(const OpcodeHandlers& handlers, const TraceRoot& root, arrays::ArrayNamespace& arrays,
         sources::SourceTable& sources, const symbolic::DynamicMarks& marks,
         const TraceLimits& limits);

  // Runs to the segment's end. On a GraphBreak status `steps()` tells how far it came.
  absl::StatusOr<TraceResult> Run();
  int64_t steps() const { return steps_; }
  int position() const { return position_; }
  std::vector<frame::CodePlace> Places() const { return PlacesOf(frames_); }

  // Whether the instruction at hand reads `a[mask]` as an array of a data-dependent size.
  bool ReadsSelected() const { return limits_.reads_selected.contains(steps_); }

  // --- For handlers -------------------------------------------------------------------------
  symbolic::TraceContext& trace() { return trace_; }
  arrays::ArrayNamespace& arrays() { return arrays_; }
  sources::SourceTable& sources() { return trace_.sources(); }
  const TraceRoot& root() const { return root_; }
  const TraceLimits& limits() const { return limits_; }
  // The rules whose functions are being traced, outermost first.
  std::vector<BorrowedRef>& active_gradient_rules() { return active_gradient_rules_; }
  SymbolicFrame& frame() { return *frames_.back(); }
  bool outermost() const { return frames_.size() == 1; }
  int depth() const { return static_cast<int>(frames_.size()); }
  // Rounds of a loop that are unrolled at most.
  int max_unroll() const { return root_.is_whole ? kMaxWholeUnroll : kMaxUnroll; }
  // Items of an iterable that is drained at once, at most.
  size_t max_drained() const { return root_.is_whole ? size_t{kMaxWholeUnroll} : kMaxDrained; }

  void Push(symbolic::Value* value) { frame().stack.push_back(value); }
  // Pushes what is about to be called without a receiver, with the null that CALL wants beside it.
  void PushCallable(symbolic::Value* callable);
  symbolic::Value* Pop();
  symbolic::Value* Peek(int from_top) const;  // 0: top of stack
  void Put(int from_top, symbolic::Value* value);
  std::vector<symbolic::Value*> PopMany(int count);  // in stack order

  symbolic::Value* Local(int index);
  void SetLocal(int index, symbolic::Value* value);  // null: unbound

  // The cell in a slot of the running frame. In the outermost frame it may be a real one.
  absl::StatusOr<symbolic::CellValue*> CellAt(int index);

  void Jump(int target) { frame().pc = target; }
  // A backward jump to `target` by the instruction at `jump` (-1: by one of several); ends the
  // segment there unless the loop is being unrolled, or the sides of a branch meet there.
  absl::Status JumpBack(int target, int jump);

  // The running frame, which of its locals the segment has changed, and how far its loops are: a
  // place to go back to, as long as nothing else outside of the frame has changed since.
  struct Place {
    SymbolicFrame frame;
    std::vector<bool> changed_locals;  // of the outermost frame, else empty
    std::vector<std::pair<symbolic::IteratorValue*, size_t>> loops;  // on its stack, with `next`
  };
  Place Mark() const;
  void GoBack(const Place& place);
  // Goes on until the running frame stands at the instruction at `offset`, or with -1 before its
  // return. GraphBreak if it yields, raises or ends otherwise.
  absl::Status RunTo(int offset);

  // A branch whose sides are being traced (both_sides.h).
  struct OpenBranch {
    BranchPlace place;
    std::vector<frame::CodePlace> places;  // its line, then those of calls
    size_t depth = 0;                      // frames that run
    int meeting = -1;                      // where the sides meet, as RunTo has it
    size_t subgraphs = 0;                  // that are open in a side
    const Place* start = nullptr;          // where the sides begin
    int jumped_by = -1;                    // the jump back to `meeting` that was made last
    int awaits = -1;                       // of a loop's round (while_loops.h): its jump ...
    int exit = -1;                         // ... and what comes behind the loop
    bool goes_on_if = false;               // ... if the jump's operand is not so
    bool is_second = false;                // which side is being traced
    absl::flat_hash_set<const symbolic::Value*> advanced[2] = {};  // iterators of `start`, by side
  };
  std::vector<OpenBranch>& open_branches() { return open_branches_; }
  const std::vector<OpenBranch>& open_branches() const { return open_branches_; }
  size_t num_open_subgraphs() const { return trace_.num_open_subgraphs(); }
  // A branch on a value that only the run tells is met in the running frame.
  void NoteBranch(int jump) { branch_ = {frame().code, jump}; }
  const BranchPlace& branch() const { return branch_; }  // the last one
  // Both sides of the branch are part of the graph.
  void NoteBothSides(const BranchPlace& place) { branches_.push_back(place); }
  // Lets the trace end after that much more CountWork; gives the limit there was before, for Undo.
  int64_t LimitWork(int64_t work);
  void UndoLimit(int64_t limit) { max_work_ = limit; }
  // The iterator is about to move, for the one that computes its items from its, if that is not
  // null. In a side of a branch only one made there may, or one of a loop around the branch, where
  // the sides do not disagree.
  void NoteAdvance(symbolic::Value* iterator);
  symbolic::Value*& advancing() { return advancing_; }
  // An iterator that the program has by itself, not a loop's own, is gone through or asked by
  // another one: what it has given matters after the loop.
  void NoteSharedIterator(const symbolic::Value* iterator) { shared_iterators_.insert(iterator); }
  bool IsSharedIterator(const symbolic::Value* iterator) const {
    return shared_iterators_.contains(iterator);
  }

  // A new constant (an object made or known at capture, without a source).
  symbolic::ConstantValue* Constant(BorrowedRef object);
  symbolic::ConstantValue* ConstantSteal(PyObject* object);
  symbolic::ConstantValue* None() { return Constant(Py_None); }
  symbolic::NullValue* Null() { return &null_; }

  // The object at `source` as a value about which nothing is guarded yet.
  symbolic::Value* Lazy(BorrowedRef object, const sources::Source* source);
  // `value` with its kind known: an ObjectValue becomes a tensor, number, tuple ... with the guards
  // that this takes. Other values are returned as they are.
  absl::StatusOr<symbolic::Value*> Materialize(symbolic::Value* value);
  // The same for items of tuples, lists and slices, all the way down.
  absl::StatusOr<symbolic::Value*> MaterializeDeep(symbolic::Value* value);

  // A tuple of plain constants as one constant; other values as they are.
  absl::StatusOr<symbolic::Value*> AsConstant(symbolic::Value* value);

  // Python's truth of `value`, guarded.
  absl::StatusOr<bool> Truth(symbolic::Value* value);

  // Calls. Pushes the result now (builtins, array functions) or when the inlined frame returns.
  absl::Status Call(symbolic::Value* callable, std::vector<symbolic::Value*> positional,
                    symbolic::Keywords keywords);

  // The same, done when this returns: runs an inlined function to its end.
  absl::StatusOr<symbolic::Value*> CallNow(symbolic::Value* callable,
                                           std::vector<symbolic::Value*> positional,
                                           symbolic::Keywords keywords = {});

  // --- Exceptions -----------------------------------------------------------------------------
  // A handler that raises returns the status of one of these; the machine then looks for a handler
  // in the traced frames. Where there is none the segment ends in a RaisingBreak of that reason
  // before the outermost frame's instruction, and CPython raises for real.
  absl::Status Raise(PyObject* type, absl::string_view message, absl::string_view reason);
  absl::Status Raise(symbolic::InstanceValue* exception, absl::string_view reason);
  // The exception that Python has set, cleared.
  absl::Status RaiseCurrent(absl::string_view reason);
  // Whether `status` is one of these; then the exception is raised().
  static bool IsRaised(const absl::Status& status) { return absl::IsAborted(status); }
  symbolic::InstanceValue* raised() const { return raised_; }
  // The exception that is being handled (sys.exc_info), or null.
  symbolic::Value* handled() const { return handled_; }
  void SetHandled(symbolic::Value* exception) { handled_ = exception; }
  // Whether the exception that is handled here was raised in this segment.
  bool handles_here() const { return handlers_entered_ > 0; }

  // Whatever may go on for long while tracing (an instruction, the step of an iterator) asks before
  // each step: GraphBreak when the trace has become too long.
  absl::Status CountWork();

  // --- Generators -----------------------------------------------------------------------------
  // Runs `generator` to its next yield, which gives `sent`; null when it has returned.
  absl::StatusOr<symbolic::Value*> Resume(symbolic::GeneratorValue* generator,
                                          symbolic::Value* sent);
  // The same, raising `exception` where it waits; a generator that has returned raises it, too.
  absl::StatusOr<symbolic::Value*> Throw(symbolic::GeneratorValue* generator,
                                         symbolic::InstanceValue* exception);
  bool IsRunning(const symbolic::GeneratorValue* generator) const;
  bool IsDelegate(const symbolic::GeneratorValue* generator) const;
  // RETURN_GENERATOR: the running frame becomes a generator, which the caller gets.
  void ReturnGenerator();
  // YIELD_VALUE: the running frame's generator has `value` for who resumed it.
  void Yield(symbolic::Value* value);

  // --- Changes of what exists ---------------------------------------------------------------
  // Nothing real is written while tracing: a change is made in the value, noted here, and becomes
  // an effect at the segment's end.

  // The value that stands for `object` already, reached through another source, or null; if there
  // is one, both sources are required to give the same object. `value` stands for it from now on.
  symbolic::Value* Unify(BorrowedRef object, symbolic::Value* value);
  // The object at `source` (null: there is none) loses that name before the segment's end, where
  // Python would drop it: nothing may happen then that the rest of the segment could see.
  absl::Status LetGo(const sources::Source* source, BorrowedRef object);
  // Likewise of a local variable that gets another value, or none.
  absl::Status LetGoOfLocal(int index);
  // `value` may raise when it is made: it is made at the segment's end even if nothing keeps it.
  void NoteLazy(symbolic::LazyValue* value) { lazy_results_.push_back(value); }
  // `value` exists and differs now from what it was at the segment's start.
  void NoteChange(symbolic::Value* value);
  bool IsChanged(const symbolic::Value* value) const;
  // The segment makes a call that functools.lru_cache answers: it is made again at the end, so that
  // it is counted.
  void NoteCachedCall(symbolic::Value* cache, std::vector<symbolic::Value*> args) {
    trace_.NoteChangeOutside();
    cached_calls_.emplace_back(cache, std::move(args));
  }
  // A GraphBreak follows, for there is nothing at `source`: the entry that ends there holds only as
  // long as that is so.
  void EndsWhileAbsent(const sources::Source* source) { limits_.absent.push_back(source); }
  // What the running frames, and what the segment has changed so far, refer to: nothing else that
  // was made inside is still there (references.h).
  std::vector<symbolic::Value*> Roots() const;
  // What the segment writes into the dict of globals (of a module) that `source` names.
  symbolic::Overlay& GlobalsOverlay(BorrowedRef dict, const sources::Source* source);
  // What it writes into plain data that the class has itself (HoldsPlainData of class_states.h).
  symbolic::Overlay& ClassOverlay(symbolic::ConstantValue* cls);
  // What `type.name` is after such a write, where that finds it; else null.
  symbolic::Value* WrittenInClass(PyTypeObject* type, BorrowedRef name) const;

  // The running frame's return: pushes onto the caller, or ends the segment.
  void Return(symbolic::Value* value);
  // Nodes made from now on come from the innermost line that the program's writer knows.
  void SetLocation();
  void EnterFrame(std::shared_ptr<SymbolicFrame> frame) { frames_.push_back(std::move(frame)); }

  // The code of a function that is inlined, decoded once however often that is.
  const std::shared_ptr<const bytecode::DecodedCode>& DecodedOf(PyCodeObject* code);

 private:
  // A namespace of globals: several sources may lead to it.
  struct Globals {
    std::vector<const sources::Source*> sources;
    symbolic::Overlay written;
  };

  absl::StatusOr<symbolic::Value*> MaterializeParts(symbolic::Value* value);
  absl::Status Step();
  // Runs until only `depth` frames are left.
  absl::Status RunAbove(size_t depth);
  // After an exception: goes on in the innermost handler of the frames above `depth`, or drops
  // these and returns `raised`.
  absl::Status Unwind(size_t depth, const absl::Status& raised);
  bool EnterHandler(SymbolicFrame& frame);
  absl::StatusOr<symbolic::Value*> RunGenerator(symbolic::GeneratorValue* generator, size_t depth,
                                                const absl::Status& status);
  void StartFrame();
  absl::StatusOr<TraceResult> Finish();
  // What the frame's locals and stack hold after a segment that ends in a break.
  absl::Status DropLocals(FrameStateBuilder& builder);
  absl::Status PutBack(FrameStateBuilder& builder, frame_state::FrameState& frame_state);
  // What the segment changed, as effects; and that nothing else is the same object.
  absl::Status AddEffects(FrameStateBuilder& builder);
  absl::Status AddGlobalsEffects(FrameStateBuilder& builder);
  absl::Status AddCachedCalls(FrameStateBuilder& builder);
  absl::Status AddClassEffects(FrameStateBuilder& builder);
  absl::Status AddErrorState(FrameStateBuilder& builder);
  void RequireDistinct(const symbolic::Value& changed);
  // Likewise of dicts, the dicts of objects, and globals: one may be the other.
  absl::Status RequireOwnNamespace(const symbolic::Value& changed);
  absl::Status RequireApartFromNamespaces(const symbolic::Value* changed,
                                          const sources::Source* space);
  absl::Status RequireApart(const sources::Source* a, const sources::Source* b);
  // What was found is required to be there, even if nothing has asked what it is.
  void RequirePresence();
  // Whether some generator is left with a finally clause or a with statement to run at its end.
  bool LeavesGeneratorsOpen() const;
  // The line of the program that is being traced, if it is a new one, to the log.
  void ShowLine(const SymbolicFrame& frame, int line);

  const OpcodeHandlers& handlers_;
  TraceRoot root_;
  arrays::ArrayNamespace& arrays_;
  symbolic::TraceContext trace_;
  TraceLimits limits_;
  std::vector<std::shared_ptr<SymbolicFrame>> frames_;
  struct InlinedCode {
    Ref code;
    std::shared_ptr<const bytecode::DecodedCode> decoded;
  };
  absl::flat_hash_map<PyCodeObject*, InlinedCode> inlined_;
  std::vector<bool> changed_locals_;                // of the outermost frame
  std::vector<symbolic::LazyValue*> lazy_results_;  // see NoteLazy
  int untouched_depth_;  // stack entries of the outermost frame never looked at
  absl::flat_hash_map<const sources::Source*, symbolic::Value*> lazy_;
  std::vector<const sources::Source*> found_;  // the keys of lazy_, in order
  absl::flat_hash_map<symbolic::Value*, symbolic::Value*> materialized_;
  absl::flat_hash_map<PyObject*, symbolic::Value*>
      existing_;  // materialized, of kinds that can change
  std::vector<symbolic::Value*> changed_;
  std::vector<std::pair<PyObject*, std::unique_ptr<Globals>>> globals_;
  std::vector<std::pair<symbolic::ConstantValue*, std::unique_ptr<symbolic::Overlay>>>
      class_writes_;
  std::vector<symbolic::GeneratorValue*> generators_;
  symbolic::InstanceValue* raised_ = nullptr;
  symbolic::Value* handled_ = nullptr;
  int handlers_entered_ = 0;    // by exceptions of this trace
  int64_t handler_steps_ = -1;  // steps() when the outermost frame entered the handler it is in
  symbolic::NullValue null_;
  std::optional<SegmentEnd> end_;
  symbolic::Value* returned_ = nullptr;
  std::vector<BorrowedRef> active_gradient_rules_;
  std::vector<OpenBranch> open_branches_;  // the innermost last
  std::vector<BranchPlace> branches_;      // as TraceResult::branches
  BranchPlace branch_;                     // met last
  symbolic::Value* advancing_ = nullptr;   // the iterator that asks others for items
  absl::flat_hash_set<const symbolic::Value*> shared_iterators_;
  int64_t work_ = 0;
  int64_t max_work_;                             // that work_ may come to
  int64_t steps_ = 0;                            // instructions of the outermost frame completed
  int position_ = 0;                             // of the outermost frame's current instruction
  std::vector<bool> covered_;                    // as TraceResult::covered
  std::pair<const void*, int> shown_line_ = {};  // the code and line that was logged last
  std::vector<std::pair<symbolic::Value*, std::vector<symbolic::Value*>>>
      cached_calls_;  // see NoteCachedCall
};

}  // namespace dynacc::tracer
