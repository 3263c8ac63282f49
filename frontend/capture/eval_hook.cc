#include "frontend/capture/eval_hook.h"

#include <new>

#include "frontend/cache/compilation.h"
#include "frontend/capture/hook_budget.h"
#include "frontend/capture/hook_switch.h"
#include "frontend/cpython/audit.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/fallback/osr_entries.h"

namespace dynacc::capture {
namespace {

// Below this, RecursionError is near: leave its exact depth and text to CPython.
constexpr int kRecursionReserve = 50;

FrameHandler* g_handler = nullptr;  // under the GIL

thread_local int t_depth = 0;   // nested evaluator calls of the thread
thread_local int t_bypass = 0;  // HookBypass scopes

class DepthScope {
 public:
  DepthScope() { ++t_depth; }
  ~DepthScope() { --t_depth; }
};

// Callers that are looked at: a loop's small calls are few levels deep.
constexpr int kCallersAsked = 8;

// A fresh frame is not linked to its caller yet.
bool IsInAwaitedCall(PyThreadState* thread) {
  const InterpreterFrame* frame = CurrentFrame(thread);
  for (int i = 0; frame != nullptr && i < kCallersAsked; ++i, frame = CallerOf(frame)) {
    if (!FrameOwnedByThread(frame)) continue;
    const frame::FrameView view(thread, const_cast<InterpreterFrame*>(frame));
    if (view.is_function() && g_handler->AwaitsCall(view)) return true;
  }
  return false;
}

// For a frame that passes through.
void Spend(PyThreadState* thread) {
  HookBudget& budget = TheHookBudget();
  const bool extends =
      budget.IsSpent() && g_handler != nullptr && IsInAwaitedCall(thread) && budget.Extend();
  if (!extends) budget.Spend();
}

PyObject* RunPlain(PyThreadState* thread, InterpreterFrame* frame, int throwflag) {
  return TheHookSwitch().RunPrevious(thread, frame, throwflag);
}

PyObject* RunWithHookOff(PyThreadState* thread, InterpreterFrame* frame, int throwflag) {
  ExtentOff off;
  return RunPlain(thread, frame, throwflag);
}

PyObject* RunImport(PyThreadState* thread, InterpreterFrame* frame, int throwflag) {
  const fallback::TrapsAsleep asleep;
  return RunWithHookOff(thread, frame, throwflag);
}

// Whether the handler may have the frame at all, its record aside.
bool IsEligible(const PyThreadState* thread, const InterpreterFrame* frame, int throwflag) {
  return throwflag == 0 && !HasException(thread) && t_bypass == 0 && g_handler != nullptr &&
         FrameOwnedByThread(frame) && FrameIsFresh(frame) && !FrameIsSuspendable(frame) &&
         !IsMonitored(CodeOf(frame)) && (FrameIsFunction(frame) || g_handler->TakesBodies()) &&
         RecursionLeft(thread) > kRecursionReserve;
}

PyObject* Handle(PyThreadState* thread, InterpreterFrame* frame, cache::CodeRecord& record) {
  frame::FrameView view(thread, frame);
  PyObject* result = nullptr;
  if (g_handler->Handle(view, record, &result)) {
    view.End();
    return result;
  }
  Spend(thread);
  if (record.mode == cache::FrameMode::kPlain) return RunWithHookOff(thread, frame, 0);
  return RunPlain(thread, frame, 0);
}

PyObject* Evaluate(PyThreadState* thread, InterpreterFrame* frame, int throwflag) {
  // A tool that put itself over us may still call when we are gone.
  if (!TheHookSwitch().installed()) return RunPlain(thread, frame, throwflag);
  if (t_depth >= kMaxHookedDepth) return RunWithHookOff(thread, frame, throwflag);
  DepthScope depth;
  if (IsTracing(thread)) {
    TheHookBudget().Rest(kTracingRestMilliseconds);
    // A tool sees by some events that an evaluator is set: coroutines are not run in place then.
    return RunWithHookOff(thread, frame, throwflag);
  }
  if (!IsEligible(thread, frame, throwflag)) {
    Spend(thread);
    return RunPlain(thread, frame, throwflag);
  }
  cache::CodeRecord* record = cache::GetCodeRecord(CodeOf(frame));
  if (record == nullptr) {
    PyErr_Clear();
    return RunPlain(thread, frame, throwflag);
  }
  ++record->calls;
  if (record->mode == cache::FrameMode::kImport) return RunImport(thread, frame, throwflag);
  if (record->mode == cache::FrameMode::kPlain && cache::CompilationOf(frame) == nullptr) {
    Spend(thread);
    return RunWithHookOff(thread, frame, throwflag);
  }
  return Handle(thread, frame, *record);
}

PyObject* EvaluateFrame(PyThreadState* thread, InterpreterFrame* frame, int throwflag) {
  try {
    return Evaluate(thread, frame, throwflag);
  } catch (const std::bad_alloc&) {  // no exception may go through CPython's frames
    return PyErr_NoMemory();
  }
}

bool g_forgets_at_exit = false;

void ForgetAtExit() {
  UninstallEvaluator();
  ForgetAuditHook();
  g_forgets_at_exit = false;
}

}  // namespace

absl::Status InstallEvaluator(FrameHandler& handler) {
  if (EvaluatorInstalled()) return absl::FailedPreconditionError("the evaluator is installed");
  if (!g_forgets_at_exit) Py_AtExit(ForgetAtExit);
  g_forgets_at_exit = true;
  g_handler = &handler;
  TheHookBudget().Start();
  TheHookSwitch().Install(PyThreadState_Get()->interp, EvaluateFrame);
  return absl::OkStatus();
}

void UninstallEvaluator() {
  TheHookBudget().Stop();
  TheHookSwitch().Uninstall();
  g_handler = nullptr;
}

bool MayHandleFrames() { return TheHookSwitch().installed() && t_bypass == 0; }
bool EvaluatorInstalled() { return TheHookSwitch().installed(); }

HookBypass::HookBypass() { ++t_bypass; }
HookBypass::~HookBypass() { --t_bypass; }

}  // namespace dynacc::capture
