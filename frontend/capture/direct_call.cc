#include "frontend/capture/direct_call.h"

#include <algorithm>

#include "boost/container/small_vector.hpp"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/entry_run.h"
#include "frontend/cache/segment.h"
#include "frontend/capture/eval_hook.h"
#include "frontend/capture/segment_compiler.h"
#include "frontend/capture/stance.h"
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/frame/source_line.h"
#include "runtime/base/stats.h"
#include "runtime/base/trace_file.h"

namespace dynacc::capture {
namespace {

// Whether a frame of `code` would start with just these arguments in its locals.
bool StartsWithArguments(const PyCodeObject& code, Py_ssize_t count) {
  constexpr int kOtherWays =
      CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  return (code.co_flags & kOtherWays) == 0 && code.co_argcount == count &&
         code.co_kwonlyargcount == 0 && code.co_ncellvars == 0 && code.co_nfreevars == 0;
}

// Whether signals, other threads or tools ask for CPython's loop.
bool IsDisturbed(const PyThreadState* thread) {
  return EvalBreakerSet(thread) || IsTracing(thread) || !MayHandleFrames();
}

// Whether running the entry is all that the call does. One that had to run plainly is left to the
// segment runner, which keeps account of that.
bool IsWholeCall(const cache::Entry& entry) {
  return entry.tier.is_final && entry.frame_state.returned >= 0 &&
         entry.frame_state.effects.empty() && !entry.calls_library &&
         entry.statistics.fallback_runs == 0;
}

// The segments of a function that may be called so; null for any other.
cache::SegmentSet* SegmentsFor(PyCodeObject* code, const cache::Compilation* compilation,
                               size_t num_arguments) {
  if (!StartsWithArguments(*code, static_cast<Py_ssize_t>(num_arguments))) return nullptr;
  cache::CodeRecord* record = cache::FindCodeRecord(code);
  auto* set =
      record == nullptr ? nullptr : static_cast<cache::SegmentSet*>(record->Find(compilation));
  if (set == nullptr || (!set->named && set->profile.unprofitable)) return nullptr;
  return set;
}

bool MayRun(const cache::SegmentSet& set, const cache::Entry& entry) {
  if (!IsWholeCall(entry)) return false;
  return set.named || (entry.statistics.trial.decided() && !entry.statistics.trial.loses());
}

void NoteRun(cache::SegmentSet& set, cache::Segment& segment, cache::Entry& entry) {
  ++segment.visits;
  segment.NoteHit(entry);
  if (!set.named) set.profile.NoteHit(entry);
}

}  // namespace

bool VisitWholeCall(BorrowedRef function, const cache::Compilation* compilation,
                    absl::Span<const BorrowedRef> arguments,
                    absl::FunctionRef<WholeCallStep(const WholeCall&, cache::Entry&)> visit) {
  auto* of = reinterpret_cast<PyFunctionObject*>(function);
  auto* code = reinterpret_cast<PyCodeObject*>(of->func_code);
  cache::SegmentSet* set = SegmentsFor(code, compilation, arguments.size());
  if (set == nullptr || CurrentStance() == Stance::kForceEager || IsDisturbed(PyThreadState_Get()))
    return false;
  arrays::ArrayNamespace* arrays = arrays::LoadedArrayNamespace();
  cache::Segment* segment = set->First();
  if (arrays == nullptr || segment == nullptr) return false;
  const cache::RunningScope running(*set);
  const int num_locals = code->co_nlocalsplus;
  boost::container::small_vector<FrameSlot, 16> locals(num_locals);
  std::copy(arguments.begin(), arguments.end(), locals.begin());
  const sources::SourceRoots roots = {locals.data(), num_locals, function, of->func_globals,
                                      of->func_builtins};
  WholeCallStep step = WholeCallStep::kNext;
  segment->VisitMatching(roots, [&](cache::Entry& entry, absl::Span<BorrowedRef> slots) {
    const WholeCall call = {function, code, slots, *arrays};
    step = MayRun(*set, entry) ? visit(call, entry) : WholeCallStep::kLeave;
    if (step == WholeCallStep::kDone) NoteRun(*set, *segment, entry);
    return step != WholeCallStep::kNext;
  });
  return step == WholeCallStep::kDone;
}

bool CallDirectly(PyObject* function, const cache::Compilation& compilation, PyObject* const* args,
                  size_t nargsf, PyObject* kwnames, PyObject** result) {
  if (!PyFunction_Check(function) || kwnames != nullptr) return false;
  const auto run = [result](const WholeCall& call, cache::Entry& entry) {
    frame_state::FrameStateResults results;
    TraceSpan span("run", TraceLevel::kRuns);
    if (span) span.Begin(frame::CodeLabel(call.code, call.code->co_firstlineno));
    const cache::RunClock clock(entry.account);
    const cache::EntryOutcome outcome =
        cache::RunEntryGraph(entry, call.slots, call.function, call.arrays, true, results);
    if (outcome == cache::EntryOutcome::kMismatch) return WholeCallStep::kNext;
    if (outcome != cache::EntryOutcome::kDone) return WholeCallStep::kLeave;
    *result = Ref(results[entry.frame_state.returned]).Release();
    return WholeCallStep::kDone;
  };
  return VisitWholeCall(function, &compilation,
                        {args, static_cast<size_t>(PyVectorcall_NARGS(nargsf))}, run);
}

}  // namespace dynacc::capture
