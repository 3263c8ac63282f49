#include "frontend/capture/hook_switch.h"

#include "frontend/cpython/interpreter_frame.h"
#include "frontend/cpython/thread_end.h"

namespace dynacc::capture {

HookSwitch& TheHookSwitch() {
  static HookSwitch hook;
  return hook;
}

void HookSwitch::Install(PyInterpreterState* interpreter, _PyFrameEvalFunction hook) {
  interpreter_ = interpreter;
  hook_ = hook;
  previous_ = LoadEvaluator(interpreter);
  parked_ = false;
  __atomic_store_n(&resting_, false, __ATOMIC_RELAXED);
  StoreEvaluator(interpreter, hook);
}

// If another tool put its evaluator over ours it stays, and goes on to reach ours, which then only
// passes frames on.
void HookSwitch::Uninstall() {
  if (!installed()) return;
  TurnOff();
  interpreter_ = nullptr;
}

PyObject* HookSwitch::RunPrevious(PyThreadState* thread, _PyInterpreterFrame* frame,
                                  int throwflag) const {
  return UpToThreadEnd([&] {
    return previous_ != nullptr ? previous_(thread, frame, throwflag)
                                : _PyEval_EvalFrameDefault(thread, frame, throwflag);
  });
}

void HookSwitch::TurnOn() { ReplaceEvaluator(interpreter_, previous_, hook_); }

void HookSwitch::TurnOff() {
  if (installed()) ReplaceEvaluator(interpreter_, hook_, previous_);
}

void HookSwitch::Rest() {
  if (forced()) return;
  __atomic_store_n(&resting_, true, __ATOMIC_RELAXED);
  TurnOff();
}

void HookSwitch::Park() {
  parked_ = true;
  __atomic_store_n(&resting_, true, __ATOMIC_RELAXED);
  TurnOff();
}

void HookSwitch::Unpark() {
  parked_ = false;
  WakeFromRest();
}

void HookSwitch::WakeFromRest() {
  if (parked_) return;
  __atomic_store_n(&resting_, false, __ATOMIC_RELAXED);
  if (installed()) TurnOn();
}

ExtentOff::ExtentOff() : was_on_(TheHookSwitch().is_on()) {
  if (!was_on_) return;
  TheHookSwitch().AddExtent(1);
  TheHookSwitch().TurnOff();
}

ExtentOff::~ExtentOff() {
  HookSwitch& hook = TheHookSwitch();
  if (!was_on_) return;
  hook.AddExtent(-1);
  if (hook.installed() && (hook.forced() || !hook.resting())) hook.TurnOn();
}

ForceOn::ForceOn() : active_(TheHookSwitch().installed()) {
  if (!active_) return;
  was_on_ = TheHookSwitch().is_on();
  TheHookSwitch().AddForce(1);
  TheHookSwitch().TurnOn();
}

ForceOn::~ForceOn() {
  if (!active_) return;
  TheHookSwitch().AddForce(-1);
  // It was off for a reason; if that has passed meanwhile (another thread's extent), it stays on.
  HookSwitch& hook = TheHookSwitch();
  const bool still_off = hook.in_extent() || (hook.resting() && !hook.forced());
  if (!was_on_ && still_off) hook.TurnOff();
}

}  // namespace dynacc::capture
