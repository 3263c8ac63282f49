// The eval breaker of CPython 3.11: eval_frame_handle_pending of its ceval.c, which is not
// exported, from exported parts. Taking the GIL again recomputes the breaker.
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/ref.h"
#include "frontend/cpython/thread_end.h"

namespace dynacc {

bool AnySignalWaits() { return _Py_atomic_load_relaxed(&_PyRuntime.ceval.signals_pending) != 0; }

// A thread that computes without the GIL may outlive its state, which CPython frees at exit. So
// that is read only when the interpreter's flag, in static memory, says that some thread has an
// exception.
bool ExceptionWaits() {
  const PyInterpreterState* interpreter = PyInterpreterState_Main();
  if (interpreter == nullptr ||
      __atomic_load_n(&interpreter->ceval.pending.async_exc, __ATOMIC_RELAXED) == 0) {
    return false;
  }
  PyThreadState* thread = PyGILState_GetThisThreadState();
  return thread != nullptr && __atomic_load_n(&thread->async_exc, __ATOMIC_RELAXED) != nullptr;
}

bool MoreThanThreadsWait(const PyThreadState* thread) {
  const auto& pending = thread->interp->ceval.pending;
  return SignalsWait() || _Py_atomic_load_relaxed(&pending.calls_to_do) != 0 ||
         __atomic_load_n(&thread->async_exc, __ATOMIC_RELAXED) != nullptr;
}

void LetOtherThreadsIn() {
  UpToThreadEnd([] { PyEval_RestoreThread(PyEval_SaveThread()); });
}

bool PollEvalBreaker(PyThreadState* thread) {
  if (!EvalBreakerSet(thread)) return true;
  if (UpToThreadEnd(Py_MakePendingCalls) < 0) return false;
  Ref asynchronous;
  if (thread->async_exc != nullptr) {
    asynchronous = Ref::Steal(thread->async_exc);
    thread->async_exc = nullptr;
    thread->interp->ceval.pending.async_exc = 0;
  }
  LetOtherThreadsIn();
  if (!asynchronous) return true;
  PyErr_SetNone(asynchronous.get());
  return false;
}

// The breaker may have been computed anew while nothing could be run in any thread.
void PollAgain(PyThreadState* thread) {
  if (MoreThanThreadsWait(thread)) {
    _Py_atomic_store_relaxed(&thread->interp->ceval.eval_breaker, 1);
  }
}

}  // namespace dynacc
