#include "frontend/frame/direct_call.h"

#include <algorithm>

#include "boost/container/small_vector.hpp"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/frame/entry_run.h"
#include "frontend/frame/eval_hook.h"
#include "frontend/frame/segment.h"
#include "frontend/frame/segment_compiler.h"
#include "runtime/base/stats.h"
#include "runtime/base/trace_file.h"

namespace dynacc {
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
bool IsWholeCall(const Entry& entry) {
  return entry.final_tier && entry.recipe.returned >= 0 && entry.recipe.effects.empty() &&
         !entry.calls_externs && entry.plain_runs == 0;
}

struct Call {
  PyFunctionObject* function;
  PyObject* const* args;
  Py_ssize_t count;
};

bool RunWholeCall(const Call& call, Segment& segment, ArrayNamespace& arrays, PyObject** result) {
  auto* code = reinterpret_cast<PyCodeObject*>(call.function->func_code);
  const int num_locals = code->co_nlocalsplus;
  boost::container::small_vector<PyObject*, 16> locals(num_locals, nullptr);
  std::copy_n(call.args, call.count, locals.begin());
  const SourceRoots roots = {locals.data(), num_locals, reinterpret_cast<PyObject*>(call.function),
                             call.function->func_globals, call.function->func_builtins};
  boost::container::small_vector<BorrowedRef, 32> slots(segment.guards.num_slots(), nullptr);
  uint64_t matching = segment.guards.Match(roots, absl::MakeSpan(slots.data(), slots.size()));
  for (; matching != 0; matching &= matching - 1) {
    Entry& entry = *segment.entries[__builtin_ctzll(matching)];
    if (!IsWholeCall(entry)) return false;
    RecipeResults results;
    TraceSpan span("run", TraceLevel::kRuns);
    if (span) span.Begin(CodeLabel(code, code->co_firstlineno));
    const EntryOutcome outcome =
        RunEntryGraph(entry, {slots.data(), slots.size()}, roots.function, arrays, true, results);
    if (outcome == EntryOutcome::kMismatch) continue;
    if (outcome != EntryOutcome::kDone) return false;
    ++segment.visits;
    ++entry.hits;
    Count(ProcessStats().entries_hit);
    *result = Ref(results[entry.recipe.returned]).Release();
    return true;
  }
  return false;
}

}  // namespace

bool CallDirectly(PyObject* function, PyObject* const* args, size_t nargsf, PyObject* kwnames,
                  PyObject** result) {
  if (!PyFunction_Check(function) || kwnames != nullptr) return false;
  const Call call = {reinterpret_cast<PyFunctionObject*>(function), args,
                     PyVectorcall_NARGS(nargsf)};
  auto* code = reinterpret_cast<PyCodeObject*>(call.function->func_code);
  if (!StartsWithArguments(*code, call.count)) return false;
  CodeRecord* record = FindCodeRecord(code);
  if (record == nullptr || record->segments == nullptr || !record->marked_compiled) return false;
  if (IsDisturbed(PyThreadState_Get())) return false;
  ArrayNamespace* arrays = LoadedArrayNamespace();
  if (arrays == nullptr) return false;
  auto& set = static_cast<SegmentSet&>(*record->segments);
  Segment* segment = set.First();
  if (segment == nullptr) return false;
  const RunningScope running(set);
  return RunWholeCall(call, *segment, *arrays, result);
}

}  // namespace dynacc
