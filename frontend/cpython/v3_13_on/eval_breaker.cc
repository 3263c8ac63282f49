// The eval breaker of CPython from 3.13 on: a word of each thread, whose low bits say what waits.
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/thread_end.h"

namespace dynacc {
namespace {

bool Waits(const PyThreadState* thread, uintptr_t bits) {
  return (__atomic_load_n(&thread->eval_breaker, __ATOMIC_RELAXED) & bits) != 0;
}

}  // namespace

// Signals are the main thread's. Its state is there until the interpreter is finalised.
bool AnySignalWaits() {
  const PyThreadState* main = __atomic_load_n(&_PyRuntime.main_tstate, __ATOMIC_RELAXED);
  return main != nullptr && !IsFinalizing() && Waits(main, _PY_SIGNALS_PENDING_BIT);
}

// A thread that computes without the GIL may outlive its state, which CPython frees at exit.
bool ExceptionWaits() {
  if (!Py_IsInitialized() || IsFinalizing()) return false;
  const PyThreadState* thread = PyGILState_GetThisThreadState();
  return thread != nullptr && Waits(thread, _PY_ASYNC_EXCEPTION_BIT);
}

bool MoreThanThreadsWait(const PyThreadState* thread) {
  return Waits(thread, _PY_SIGNALS_PENDING_BIT | _PY_CALLS_TO_DO_BIT | _PY_ASYNC_EXCEPTION_BIT);
}

void LetOtherThreadsIn() {
  UpToThreadEnd([] { return _Py_HandlePending(PyThreadState_Get()); });
}

bool PollEvalBreaker(PyThreadState* thread) {
  return !EvalBreakerSet(thread) ||
         UpToThreadEnd([thread] { return _Py_HandlePending(thread); }) == 0;
}

// A poll that found nothing that it may run has cleared the bits.
void PollAgain(PyThreadState* thread) {
  if (!RunsSignalHandlers()) return;
  const uintptr_t signals = _PyRuntime.signals.is_tripped ? _PY_SIGNALS_PENDING_BIT : 0;
  __atomic_fetch_or(&thread->eval_breaker, signals | _PY_CALLS_TO_DO_BIT, __ATOMIC_RELAXED);
}

}  // namespace dynacc
