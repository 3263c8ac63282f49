// HookSwitch: whether the evaluator is in the interpreter's slot, and why not.
//
// A filled slot stops CPython from inlining Python-to-Python calls (+9 to +50 % on call-heavy
// code), so the hook is only in it while that may pay. It is out
//   - for the extent of frames that are known to be plain and beyond a depth of hooked C frames
//     (ExtentOff);
//   - while it rests: its budget is spent (hook_budget.h) or tracing tools are at work;
//   - for good, once parked: the policy is that only ForceOn brings it in.
// ForceOn overrides resting and parking. Under the GIL, except for WakeFromRest.
#pragma once

#include <atomic>

#include "frontend/cpython/evaluator.h"

namespace dynacc::capture {

class HookSwitch {
 public:
  // `hook` goes into `interpreter`'s slot; what is in it now becomes `previous`.
  void Install(PyInterpreterState* interpreter, _PyFrameEvalFunction hook);
  void Uninstall();
  bool installed() const { return interpreter_ != nullptr; }

  // Whether another tool's evaluator was there before.
  bool has_previous() const { return previous_ != nullptr; }
  // What plain frames run with: the evaluator that was there before, or CPython's own.
  PyObject* RunPrevious(PyThreadState* thread, _PyInterpreterFrame* frame, int throwflag) const;

  bool is_on() const { return LoadEvaluator(interpreter_) == hook_; }
  void TurnOn();
  void TurnOff();

  void Rest();
  // Ends the rest, from any thread and without the GIL. A slot that somebody else filled meanwhile
  // is left alone.
  void WakeFromRest();
  // Out until Unpark, except for ForceOn: nothing is looked for.
  void Park();
  void Unpark();
  bool resting() const { return __atomic_load_n(&resting_, __ATOMIC_RELAXED); }

  void AddForce(int delta) { forced_ += delta; }
  bool forced() const { return forced_ > 0; }

  // Extents that will turn the hook on again when they end.
  void AddExtent(int delta) { extents_ += delta; }
  bool in_extent() const { return extents_ > 0; }

 private:
  PyInterpreterState* interpreter_ = nullptr;
  _PyFrameEvalFunction hook_ = nullptr;
  _PyFrameEvalFunction previous_ = nullptr;
  bool resting_ = false;
  std::atomic<bool> parked_{false};  // then it rests, too; atomic as WakeFromRest asks
  int forced_ = 0;
  int extents_ = 0;
};

// The one switch of the process.
HookSwitch& TheHookSwitch();

// The hook is off from construction to destruction, and what is called in between is not seen.
class ExtentOff {
 public:
  ExtentOff();
  ~ExtentOff();
  ExtentOff(const ExtentOff&) = delete;
  ExtentOff& operator=(const ExtentOff&) = delete;

 private:
  const bool was_on_;
};

// The hook is on from construction to destruction, resting or not: for calls of functions that
// dynacc.compile named. A no-op while nothing is installed.
class ForceOn {
 public:
  ForceOn();
  ~ForceOn();
  ForceOn(const ForceOn&) = delete;
  ForceOn& operator=(const ForceOn&) = delete;

 private:
  bool active_;
  bool was_on_ = false;
};

}  // namespace dynacc::capture
