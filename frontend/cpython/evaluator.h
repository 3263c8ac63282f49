// The evaluator slot (PEP 523), code objects' extra slots and the eval breaker of CPython.
#pragma once

#include "frontend/cpython/layout.h"

namespace dynacc {

// The interpreter's evaluator; null stands for _PyEval_EvalFrameDefault and lets CPython inline
// Python-to-Python calls. CPython reads the slot without a lock, so stores are plain word stores;
// they are atomic here because a thread without the GIL may store too.
inline _PyFrameEvalFunction LoadEvaluator(PyInterpreterState* interpreter) {
  return __atomic_load_n(&interpreter->eval_frame, __ATOMIC_RELAXED);
}
inline void StoreEvaluator(PyInterpreterState* interpreter, _PyFrameEvalFunction evaluator) {
  __atomic_store_n(&interpreter->eval_frame, evaluator, __ATOMIC_RELAXED);
}
// Stores `wanted` if the slot holds `expected`.
inline bool ReplaceEvaluator(PyInterpreterState* interpreter, _PyFrameEvalFunction expected,
                             _PyFrameEvalFunction wanted) {
  return __atomic_compare_exchange_n(&interpreter->eval_frame, &expected, wanted, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// The co_extra slot of the current interpreter, whose pointers `free` gets when their code objects
// go; -1 if CPython has no more. Asks CPython once for each life of an interpreter. One caller.
Py_ssize_t CodeExtraIndex(freefunc free);

// The pointer that SetCodeExtra stored with the code object, or null.
inline void* GetCodeExtra(PyCodeObject* code, Py_ssize_t index) {
  struct CodeExtra {  // as in CPython's Objects/codeobject.c
    Py_ssize_t size;
    void* extras[1];
  };
  const auto* extra = static_cast<const CodeExtra*>(code->co_extra);
  return extra != nullptr && index < extra->size ? extra->extras[index] : nullptr;
}
// False with an exception set if there is no memory.
bool SetCodeExtra(PyCodeObject* code, Py_ssize_t index, void* extra);

// --- What waits for the loop. EvalBreakerSet (layout.h) is the quick test.

// Whether signals wait, for whatever thread. Needs no GIL.
bool AnySignalWaits();
// Whether the current thread is the one that runs signal handlers. Needs the GIL.
bool RunsSignalHandlers();
// Both.
bool SignalsWait();
// Whether another thread has raised an exception in the current one, of the main interpreter. Needs
// no GIL, and may be asked while the interpreter is finalised.
bool ExceptionWaits();

// Whether a poll of the eval breaker may do more than let other threads in, and the garbage
// collector where it comes at polls: run signal handlers or pending calls, or raise. Needs the GIL.
bool MoreThanThreadsWait(const PyThreadState* thread);

// Lets other threads in, and the garbage collector where it comes at polls, and nothing else.
void LetOtherThreadsIn();

// What the interpreter loop does when its eval breaker is set: signal handlers, pending calls, a
// switch of threads, an asynchronous exception. False: an exception is set. Cheap if not set.
bool PollEvalBreaker(PyThreadState* thread);

// Sets the eval breaker if something waits that polls found they could not run in this thread, as
// while HeldInterruptions are there. Needs the GIL.
void PollAgain(PyThreadState* thread);

// In its extent Python code that this thread runs is not interrupted: signal handlers, pending
// calls, exceptions that other threads have raised in it and those of RaiseInThread wait, and come
// at the next poll after it. For code that the program does not know of, and whose errors are
// dropped: what a handler raises into it would be lost, as is what another thread raises meanwhile
// by PyThreadState_SetAsyncExc. It must be short or finite, as Ctrl-C waits, too. After it errno is
// what it was: abs() of a complex NaN tells the program what was left there. Needs the GIL.
class HeldInterruptions {
 public:
  HeldInterruptions();
  ~HeldInterruptions();
  HeldInterruptions(const HeldInterruptions&) = delete;
  HeldInterruptions& operator=(const HeldInterruptions&) = delete;

 private:
  friend void RaiseInThread(unsigned long thread, PyObject* type);
  const int errno_;
  PyThreadState* const thread_;
  const unsigned long thread_id_;
  // The number of the thread in which CPython runs handlers and pending calls, and which it does
  // not know meanwhile; 0 in another thread and within another extent.
  const unsigned long main_thread_;
  PyObject* asynchronous_;      // owned
  HeldInterruptions* earlier_;  // of all threads' extents, the one begun before
};

// PyThreadState_SetAsyncExc of the class, which waits for the end of HeldInterruptions of that
// thread. Needs the GIL.
void RaiseInThread(unsigned long thread, PyObject* type);

}  // namespace dynacc
