#include "frontend/tracer/tracer.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "frontend/bytecode/dataflow.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/evaluator.h"
#include "frontend/tracer/break_places.h"
#include "frontend/tracer/frame_state_builder.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/looks_at_locals.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// A graph larger than this is not worth its compile time: the segment ends there.
constexpr int kMaxNodes = 2000;

// Instructions, those of inlined calls too, and steps of iterators: tracing takes a microsecond
// each.
constexpr int64_t kMaxWork = 50000;
constexpr int64_t kMaxWholeWork = 2000000;  // where the whole call has to be one graph

// An iterator of this trace's own, not one of CPython's.
bool IsIterator(symbolic::Value* value) {
  return symbolic::As<symbolic::IteratorValue>(value) ||
         symbolic::As<symbolic::LazyIteratorValue>(value) ||
         symbolic::As<symbolic::GeneratorValue>(value);
}

// Whether a source has a value whenever guards of its trace hold that are there for another reason:
// the version of the class, the length of the container.
bool IsSurelyThere(const sources::Source& source,
                   const absl::flat_hash_set<const sources::Source*>& sized) {
  switch (source.kind) {
    case sources::SourceKind::kTupleItem:
    case sources::SourceKind::kListItem:
    case sources::SourceKind::kDequeItem:
    case sources::SourceKind::kDictItem:
    case sources::SourceKind::kDictKeyItem:
      return sized.contains(source.parent);
    case sources::SourceKind::kTypeAttr:
    case sources::SourceKind::kClassAttr:
      return true;
    case sources::SourceKind::kPinned:
      return source.index == 0;  // kept
    default:
      return false;
  }
}

// DYNACC_FORCE_BREAKS: a break before every n-th instruction; 0 for none.
int64_t ForcedBreaks() {
  static const int64_t every = NumberOf(ProcessOptions().force_breaks);
  return every;
}

// The end before the instruction at `offset`, for that reason.
SegmentEnd EndBefore(const bytecode::DecodedCode& code, int offset, const TraceStop& stop) {
  SegmentEnd end{.offset = offset, .execute = true, .line = LineAt(code, offset)};
  if (stop.reason.empty()) return end;
  end.branch = stop.branch;
  end.places = stop.places;
  if (end.places.empty()) end.places.push_back(PlaceAt(code, offset));
  end.reason = stop.reason;
  end.is_loop_step = end.places.size() == 1 && !stop.raises && ForcedBreaks() == 0 &&
                     IsLoopStep(code, offset, stop.reason);
  return end;
}

absl::StatusOr<TraceResult> EmptySegment(const TraceRoot& root, const TraceStop& stop) {
  TraceResult result;
  result.graph = std::make_unique<ir::Graph>();
  result.end = EndBefore(*root.code, root.offset, stop);
  return result;
}

// An error of the tracer's own, with the lines that it was at: one line, for a warning.
absl::Status WithPlaces(const absl::Status& error, absl::Span<const frame::CodePlace> places) {
  if (places.empty()) return error;
  const std::string lines = absl::StrReplaceAll(frame::DescribePlaces(places, ""), {{"\n", "; "}});
  return absl::Status(error.code(), absl::StrCat(error.message(), ", at ", places[0].file, ":",
                                                 places[0].line, lines));
}

// Why an attempt of a trace failed.
TraceStop FailureOf(Tracer& tracer, const absl::Status& status) {
  TraceStop failure = {std::string(status.message()), tracer.Places()};
  failure.raises = symbolic::IsRaisingBreak(status);
  if (failure.reason == kBranchOnValue) failure.branch = tracer.branch();
  if (tracer.open_branches().empty()) return failure;
  const Tracer::OpenBranch& open = tracer.open_branches().front();
  failure.branch = open.place;
  if (tracer.root().inlines_compiled) return failure;
  // The branch need not be part of the graph: it is one as all are.
  if (LogEnabled(LogTopic::kPolicy)) {
    Log(LogTopic::kPolicy, absl::StrCat(open.places[0].file, ":", open.places[0].line,
                                        ": a branch stays a break: ", failure.reason));
  }
  return {std::string(kBranchOnValue), open.places, open.place};
}

// Makes the selections that the trace has not stored anywhere arrays in the next one. False if all
// of them were.
bool ReadSelected(Tracer& tracer, TraceLimits& limits) {
  bool is_new = false;
  for (const symbolic::SelectionValue* open : tracer.trace().open_selections()) {
    is_new = limits.reads_selected.insert(open->step).second || is_new;
  }
  return is_new;
}

// DYNACC_FORCE_ERRORS: whether the instruction that comes now is an n-th one. Needs the GIL.
bool IsForcedError() {
  static const int64_t every = NumberOf(ProcessOptions().force_errors);
  static int64_t instructions = 0;
  return every > 0 && ++instructions % every == 0;
}

}  // namespace

absl::StatusOr<TraceResult> TraceSegment(const OpcodeHandlers& handlers, const TraceRoot& root,
                                         arrays::ArrayNamespace& arrays,
                                         sources::SourceTable& sources,
                                         const symbolic::DynamicMarks& marks) {
  const HeldInterruptions held;  // a break drops the error of what was tried
  TraceLimits limits;
  if (ForcedBreaks() > 0) {
    limits.stop_before = ForcedBreaks();
    limits.stop.reason = "forced by DYNACC_FORCE_BREAKS";
  }
  // Each retry stops earlier or allows less, so this ends; the bound keeps it cheap.
  for (int attempt = 0; attempt < 20; ++attempt) {
    Tracer tracer(handlers, root, arrays, sources, marks, limits);
    absl::StatusOr<TraceResult> result = tracer.Run();
    if (result.ok()) return result;
    if (!absl::IsUnimplemented(result.status()))
      return WithPlaces(result.status(), tracer.Places());
    TraceStop failure = FailureOf(tracer, result.status());
    const absl::string_view reason = failure.reason;
    limits.absent = tracer.limits().absent;
    if (reason == kEscapingIterator && limits.allow_iterators) {
      limits.allow_iterators = false;
    } else if (reason == kEscapingGenerator && limits.allow_generators) {
      limits.allow_generators = false;
    } else if (absl::EndsWith(reason, symbolic::kSameArray) && !limits.merge_arrays) {
      limits.merge_arrays = true;
    } else if (reason == kEscapingSelection &&
               limits.reads_selected.insert(tracer.trace().escaped_at()).second) {
      ReadSelected(tracer, limits);
      limits.stop_before = -1;  // what broke may have been a use of the selection
      limits.stop = {};
    } else if (reason == kEscapingSelection && tracer.trace().escaped_at() < tracer.steps()) {
      limits.stop_before = tracer.trace().escaped_at();
      limits.stop = {.reason = failure.reason};
      if (limits.stop_before == 0) return EmptySegment(root, limits.stop);
    } else if (!tracer.outermost() && ReadSelected(tracer, limits)) {
      // What a called function has selected breaks where that uses it, and is not left at the end.
    } else if (tracer.steps() == 0) {
      return EmptySegment(root, failure);
    } else {
      // What is alive at the very end of the trace could not be made again: end it earlier.
      const bool at_the_end = tracer.steps() == limits.stop_before;
      limits.stop_before = tracer.steps() - (at_the_end ? 1 : 0);
      if (!at_the_end) limits.stop = std::move(failure);
      if (limits.stop_before == 0) break;
    }
  }
  return EmptySegment(root, limits.stop);
}

Tracer::Tracer(const OpcodeHandlers& handlers, const TraceRoot& root,
               arrays::ArrayNamespace& arrays, sources::SourceTable& sources,
               const symbolic::DynamicMarks& marks, const TraceLimits& limits)
    : handlers_(handlers),
      root_(root),
      arrays_(arrays),
      trace_(sources, marks),
      limits_(limits),
      untouched_depth_(root.stack_depth),
      max_work_(root.is_whole ? kMaxWholeWork : kMaxWork) {
  if (root.branches != nullptr) root.branches->Begin();
  if (limits.merge_arrays) trace_.MergeSameArrays();
  if (root.is_whole) trace_.LetOrdersBeFree();
  trace_.SetDecompositions(root.decompositions);
  trace_.SetIsDifferentiated(root.gradient_rules != nullptr);
  for (const sources::Source* source : limits.absent)
    trace_.AddGuard(guards::GuardKind::kAbsent, source);
  StartFrame();
}

void Tracer::StartFrame() {
  auto frame = std::make_shared<SymbolicFrame>();
  frame->code = root_.code;
  frame->pc = root_.offset;
  frame->globals = root_.roots.globals;
  frame->builtins = root_.roots.builtins;
  frame->locals.assign(root_.roots.num_localsplus, nullptr);
  frame->header_visits.assign(root_.code->instructions().size(), 0);
  changed_locals_.assign(root_.roots.num_localsplus, false);
  covered_.assign(root_.code->instructions().size(), false);
  frames_.push_back(std::move(frame));
  for (int i = 0; i < root_.stack_depth; ++i) {
    BorrowedRef object = root_.roots.localsplus[root_.roots.num_localsplus + i];
    const sources::Source* source = sources().Intern(sources::SourceKind::kStack, nullptr, i);
    if (object == nullptr) trace_.AddGuard(guards::GuardKind::kAbsent, source);
    Push(object == nullptr ? Null() : Lazy(object, source));
  }
}

namespace {

bool Names(const SymbolicFrame& frame, const symbolic::Value* value) {
  return absl::c_linear_search(frame.locals, value) || absl::c_linear_search(frame.stack, value);
}

// What was on the outermost frame's stack before the segment, above `untouched`, may have died in
// this step: the iterator of a loop that is left, a temporary object.
absl::Status LetGoOfStack(Tracer& tracer, int untouched) {
  const TraceRoot& root = tracer.root();
  for (int i = untouched; i < root.stack_depth; ++i) {
    BorrowedRef object = root.roots.localsplus[root.roots.num_localsplus + i];
    if (object == nullptr) continue;
    const sources::Source* source =
        tracer.sources().Intern(sources::SourceKind::kStack, nullptr, i);
    if (Names(tracer.frame(), tracer.Lazy(object, source))) continue;
    DYNACC_RETURN_IF_ERROR(tracer.LetGo(source, object));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TraceResult> Tracer::Run() {
  while (!end_) {
    if (outermost()) {
      position_ = frame().pc;
      const bool too_long = steps_ > 0 && !root_.is_whole &&
                            static_cast<int>(trace_.graph().nodes().size()) > kMaxNodes;
      if (steps_ == limits_.stop_before || too_long) {
        end_ = EndBefore(*frame().code, position_, limits_.stop);
        end_->execute = !too_long;
        break;
      }
      covered_[frame().code->IndexAt(position_)] = true;
    }
    const bool was_outermost = outermost();
    absl::Status status = Step();
    if (IsRaised(status)) status = Unwind(0, status);
    DYNACC_RETURN_IF_ERROR(status);
    if (outermost() && !end_) DYNACC_RETURN_IF_ERROR(LetGoOfStack(*this, untouched_depth_));
    // An inlined call counts as one step of the outermost frame: when it has returned.
    if (outermost() && !end_) ++steps_;
    if (end_ && was_outermost) ++steps_;
  }
  return Finish();
}

absl::Status Tracer::Step() {
  SymbolicFrame& current = frame();
  const bytecode::Instruction& instruction = current.code->At(current.pc);
  current.pc = instruction.next;
  current.at = instruction.offset;
  SetLocation();
  if (!root_.is_whole && trace_.graph().nodes().size() > 4 * kMaxNodes)
    return symbolic::GraphBreak("a very long trace");
  DYNACC_RETURN_IF_ERROR(CountWork());
  if (IsForcedError()) return absl::InternalError("forced by DYNACC_FORCE_ERRORS");
  DYNACC_RETURN_IF_ERROR(handlers_[instruction.opcode](*this, instruction));
  return trace_.stop_reason().empty() ? absl::OkStatus()
                                      : symbolic::GraphBreak(trace_.stop_reason());
}

void Tracer::SetLocation() {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (IsTransparent(**frame)) continue;
    const int line = LineAt(*(*frame)->code, (*frame)->at);
    trace_.graph().SetLocation(StrView((*frame)->raw_code()->co_filename), line);
    if (LogEnabled(LogTopic::kTraceSource)) ShowLine(**frame, line);
    return;
  }
}

void Tracer::ShowLine(const SymbolicFrame& frame, int line) {
  const std::pair<const void*, int> place = {frame.raw_code(), line};
  if (std::exchange(shown_line_, place) == place) return;
  const std::string file = StrText(frame.raw_code()->co_filename);
  Log(LogTopic::kTraceSource,
      absl::StrCat(std::string(2 * (frames_.size() - 1), ' '), frame::SourceLine(file, line),
                   "  # ", frame::CodeLabel(frame.raw_code(), line)));
}

absl::Status Tracer::CountWork() {
  return ++work_ <= max_work_ ? absl::OkStatus() : symbolic::GraphBreak("a very long trace");
}

absl::Status Tracer::RunAbove(size_t depth) {
  while (frames_.size() > depth) {
    absl::Status status = Step();
    if (IsRaised(status)) status = Unwind(depth, status);
    DYNACC_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

Tracer::Place Tracer::Mark() const {
  Place place = {*frames_.back(), frames_.size() == 1 ? changed_locals_ : std::vector<bool>(), {}};
  for (symbolic::Value* value : place.frame.stack) {
    auto* const iterator = symbolic::As<symbolic::IteratorValue>(value);
    if (iterator != nullptr) place.loops.emplace_back(iterator, iterator->next);
  }
  return place;
}

void Tracer::GoBack(const Place& place) {
  *frames_.back() = place.frame;
  if (outermost()) changed_locals_ = place.changed_locals;
  for (const auto& [iterator, next] : place.loops) iterator->next = next;
}

void Tracer::NoteAdvance(symbolic::Value* iterator) {
  if (trace_.num_open_subgraphs() == 0) return;
  if (advancing_ != nullptr) {
    if (!IsSharedIterator(iterator)) return;  // it moves where that one does
  } else if (!open_branches_.empty() &&
             open_branches_.back().subgraphs == trace_.num_open_subgraphs()) {
    OpenBranch& branch = open_branches_.back();
    if (absl::c_linear_search(branch.start->frame.stack, iterator)) {
      branch.advanced[branch.is_second ? 1 : 0].insert(iterator);
      // Only the place in known items can be gone back to.
      const bool again = branch.is_second && branch.advanced[0].contains(iterator);
      if (!again || iterator->kind() == symbolic::ValueKind::kIterator) return;
    }
  }
  trace_.NoteChangeOf(iterator);
}

int64_t Tracer::LimitWork(int64_t work) {
  const int64_t before = max_work_;
  max_work_ = std::min(max_work_, work_ + work);
  return before;
}

absl::Status Tracer::RunTo(int offset) {
  const size_t depth = frames_.size();
  const auto is_there = [&] {
    if (frames_.size() > depth) return false;
    const bytecode::Instruction& next = frame().code->At(frame().pc);
    return offset < 0 ? OpcodeHas(next.opcode, kReturns) : next.start == offset;
  };
  while (!is_there()) {
    if (outermost()) covered_[frame().code->IndexAt(frame().pc)] = true;
    absl::Status status = Step();
    if (IsRaised(status)) status = Unwind(depth, status);
    if (IsRaised(status)) return symbolic::GraphBreak(status.message());
    DYNACC_RETURN_IF_ERROR(status);
    if (end_ || frames_.size() < depth)
      return symbolic::GraphBreak("a branch on an array's value that leaves its function");
  }
  return absl::OkStatus();
}

absl::StatusOr<symbolic::Value*> Tracer::CallNow(symbolic::Value* callable,
                                                 std::vector<symbolic::Value*> positional,
                                                 symbolic::Keywords keywords) {
  const size_t depth = frames_.size();
  DYNACC_RETURN_IF_ERROR(Call(callable, std::move(positional), std::move(keywords)));
  DYNACC_RETURN_IF_ERROR(RunAbove(depth));
  return Pop();
}

absl::StatusOr<TraceResult> Tracer::Finish() {
  if (handled_ != nullptr && handler_steps_ >= 0) {
    steps_ = handler_steps_;
    return symbolic::RaisingBreak("an exception handler that is not traced to its end");
  }
  if (LeavesGeneratorsOpen()) return symbolic::GraphBreak(kEscapingGenerator);
  TraceResult result;
  FrameStateBuilder builder(trace_, result);
  if (returned_ != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(result.frame_state.returned, builder.Add(returned_));
    DYNACC_RETURN_IF_ERROR(DropLocals(builder));
  } else {
    DYNACC_RETURN_IF_ERROR(PutBack(builder, result.frame_state));
  }
  for (symbolic::LazyValue* value : lazy_results_)
    DYNACC_RETURN_IF_ERROR(builder.Add(value).status());
  DYNACC_RETURN_IF_ERROR(AddEffects(builder));
  RequirePresence();
  if (!trace_.stop_reason().empty()) return symbolic::GraphBreak(trace_.stop_reason());
  trace_.AddWrites();
  trace_.graph().DropRegions();
  result.end = *std::move(end_);
  result.instructions = static_cast<int>(steps_);
  result.covered = std::move(covered_);
  result.branches = std::move(branches_);
  result.guards = trace_.guards();
  result.conditions = trace_.conditions();
  trace_.KeepSizesThatAgree();
  result.identities = trace_.identities();
  result.scalar_inputs = trace_.scalar_inputs();
  result.array_inputs = trace_.array_inputs();
  result.object_inputs = trace_.object_inputs();
  result.draws = trace_.draws();
  result.reports_errors = trace_.reports_errors();
  result.knows_error_state = trace_.error_state().has_value();
  result.graph = trace_.TakeGraph();
  return result;
}

void Tracer::RequirePresence() {
  absl::flat_hash_set<const sources::Source*> guarded, sized;
  for (const guards::Guard& guard : trace_.guards()) {
    // These two hold where there is nothing.
    const bool may_be_absent =
        guard.kind == guards::GuardKind::kAbsent || guard.kind == guards::GuardKind::kDiesQuietly;
    if (!may_be_absent) guarded.insert(guard.source);
    if (guard.kind == guards::GuardKind::kTupleLength ||
        guard.kind == guards::GuardKind::kListLength ||
        guard.kind == guards::GuardKind::kDictKeys ||
        guard.kind == guards::GuardKind::kDequeShape) {
      sized.insert(guard.source);
    }
  }
  for (const sources::Source* source : found_) {
    if (!guarded.contains(source) && !IsSurelyThere(*source, sized)) {
      trace_.AddGuard(guards::GuardKind::kPresent, source);
    }
  }
}

// What a returned frame's locals no longer name must not live on in one that a traceback keeps.
absl::Status Tracer::DropLocals(FrameStateBuilder& builder) {
  const SymbolicFrame& outer = *frames_.front();
  const bool are_seen = MayLookAtLocals(*outer.code, root_.roots.globals);
  for (size_t i = 0; i < outer.locals.size(); ++i) {
    if (!changed_locals_[i]) continue;
    DYNACC_RETURN_IF_ERROR(
        builder.AddLocal(static_cast<int>(i), are_seen ? outer.locals[i] : nullptr));
  }
  return absl::OkStatus();
}

absl::Status Tracer::PutBack(FrameStateBuilder& builder, frame_state::FrameState& frame_state) {
  const SymbolicFrame& outer = *frames_.front();
  const bool raises = end_->execute && limits_.stop.raises;
  const bool all_live = raises || MayLookAtLocals(*outer.code, root_.roots.globals);
  const std::vector<bool>& live = outer.code->LiveLocals(end_->offset);
  for (size_t i = 0; i < outer.locals.size(); ++i) {
    if (!changed_locals_[i] || !(all_live || live[i])) continue;
    DYNACC_RETURN_IF_ERROR(builder.AddLocal(static_cast<int>(i), outer.locals[i]));
  }
  frame_state.keep_depth = untouched_depth_;
  for (size_t i = untouched_depth_; i < outer.stack.size(); ++i) {
    DYNACC_RETURN_IF_ERROR(builder.AddStack(outer.stack[i]));
  }
  const std::vector<int> borrowed = bytecode::BorrowedEntries(*outer.code, end_->offset);
  for (size_t i = untouched_depth_; i < outer.stack.size(); ++i) {
    frame_state.borrowed_from.push_back(i < borrowed.size() ? borrowed[i] : -1);
  }
  // After what is alive, so that it is known what is made anyway.
  for (size_t i = 0; i < outer.locals.size(); ++i) {
    if (!changed_locals_[i] || all_live || live[i]) continue;
    DYNACC_RETURN_IF_ERROR(builder.AddDeadLocal(static_cast<int>(i), outer.locals[i]));
  }
  return absl::OkStatus();
}

symbolic::Value* Tracer::Pop() {
  symbolic::Value* value = frame().stack.back();
  frame().stack.pop_back();
  if (outermost()) {
    untouched_depth_ = std::min(untouched_depth_, static_cast<int>(frame().stack.size()));
  }
  return value;
}

void Tracer::PushCallable(symbolic::Value* callable) {
  const bool null_first = RunningBytecodeFormat().conventions().pushes_null_first;
  Push(null_first ? Null() : callable);
  Push(null_first ? callable : Null());
}

symbolic::Value* Tracer::Peek(int from_top) const {
  const std::vector<symbolic::Value*>& stack = frames_.back()->stack;
  return stack[stack.size() - 1 - from_top];
}

void Tracer::Put(int from_top, symbolic::Value* value) {
  const int place = static_cast<int>(frame().stack.size()) - 1 - from_top;
  frame().stack[place] = value;
  if (outermost()) untouched_depth_ = std::min(untouched_depth_, place);
}

std::vector<symbolic::Value*> Tracer::PopMany(int count) {
  std::vector<symbolic::Value*> values(count);
  for (int i = count - 1; i >= 0; --i) values[i] = Pop();
  return values;
}

symbolic::Value* Tracer::Local(int index) {
  symbolic::Value*& local = frame().locals[index];
  if (local == nullptr && outermost() && !changed_locals_[index]) {
    BorrowedRef object = root_.roots.localsplus[index];
    if (object == nullptr) return nullptr;
    Ref name = Ref::Steal(PyTuple_GetItem(frame().raw_code()->co_localsplusnames, index));
    const sources::Source* source =
        sources().Intern(sources::SourceKind::kLocal, nullptr, index, name.get());
    name.Release();  // was borrowed
    local = Lazy(object, source);
  }
  return local;
}

void Tracer::SetLocal(int index, symbolic::Value* value) {
  frame().locals[index] = value;
  if (outermost()) changed_locals_[index] = true;
}

absl::Status Tracer::JumpBack(int target, int jump) {
  SymbolicFrame& current = frame();
  Jump(target);
  if (!open_branches_.empty() && open_branches_.back().depth == frames_.size() &&
      open_branches_.back().meeting == target) {
    open_branches_.back().jumped_by = jump;
    return absl::OkStatus();
  }
  const bool known_items = !current.stack.empty() && IsIterator(current.stack.back());
  int& visits = current.header_visits[current.code->IndexAt(target)];
  const bool may_end = outermost() && !root_.is_whole;
  if (may_end && (!known_items || visits >= kMaxUnroll)) {
    end_ = SegmentEnd{.offset = target, .jump = jump, .line = LineAt(*current.code, target)};
    return absl::OkStatus();
  }
  if (++visits > MaxRounds(*this, current)) {
    return symbolic::GraphBreak(outermost() ? "a loop too long to unroll"
                                            : "a loop too long to unroll in an inlined function");
  }
  return absl::OkStatus();
}

symbolic::ConstantValue* Tracer::Constant(BorrowedRef object) {
  return trace_.New<symbolic::ConstantValue>(Ref::New(object));
}

symbolic::ConstantValue* Tracer::ConstantSteal(PyObject* object) {
  return trace_.New<symbolic::ConstantValue>(Ref::Steal(object));
}

void Tracer::Return(symbolic::Value* value) {
  if (outermost()) {
    returned_ = value;
    end_ = SegmentEnd{.returned = true};
    return;
  }
  symbolic::GeneratorValue* generator = frame().generator;
  frames_.pop_back();
  if (generator == nullptr) return Push(value);
  generator->yielded = nullptr;
  generator->returned = value;
}

}  // namespace dynacc::tracer
