// The layout of _PyInterpreterFrame and of the thread's frame chain, as inline accessors.
//
// 3.11: `prev_instr` points at the instruction that is executing, or, before it starts, at the unit
// in front of the next one. `stacktop` counts from localsplus[0] and is only valid (not -1) while
// _PyEval_EvalFrameDefault does not hold the frame.
#pragma once

#include <opcode.h>

#include "frontend/cpython/internals.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

using InterpreterFrame = _PyInterpreterFrame;

inline bool IsTracing(const PyThreadState* thread) { return thread->cframe->use_tracing != 0; }

// Whether any thread of the current interpreter has a tracing or profiling function.
inline bool AnyThreadIsTraced() {
  const PyThreadState* thread = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
  while (thread != nullptr && thread->c_tracefunc == nullptr && thread->c_profilefunc == nullptr)
    thread = thread->next;
  return thread != nullptr;
}

inline InterpreterFrame* CurrentFrame(const PyThreadState* thread) {
  return thread->cframe->current_frame;
}
inline void SetCurrentFrame(PyThreadState* thread, InterpreterFrame* frame) {
  thread->cframe->current_frame = frame;
}

inline bool FrameOwnedByThread(const InterpreterFrame* frame) {
  return frame->owner == FRAME_OWNED_BY_THREAD;
}
inline bool FrameIsFresh(const InterpreterFrame* frame) {
  return frame->prev_instr == _PyCode_CODE(frame->f_code) - 1;
}
inline bool FrameIsFunction(const InterpreterFrame* frame) {
  constexpr int kOptimized = CO_OPTIMIZED | CO_NEWLOCALS;
  constexpr int kSuspendable = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  return (frame->f_code->co_flags & (kOptimized | kSuspendable)) == kOptimized;
}
// Whether the code makes a generator, coroutine or async generator.
inline bool FrameIsSuspendable(const InterpreterFrame* frame) {
  return (frame->f_code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
}

// The unit of the opcode proper of the instruction that starts at `offset`: handlers, lines and
// lasti go by it, not by its EXTENDED_ARGs.
inline int SkipExtendedArgs(const InterpreterFrame* frame, int offset) {
  const _Py_CODEUNIT* units = _PyCode_CODE(frame->f_code);
  while (_Py_OPCODE(units[offset]) == EXTENDED_ARG ||
         _Py_OPCODE(units[offset]) == EXTENDED_ARG_QUICK)
    ++offset;
  return offset;
}
// The instruction at `offset` is executing / is about to execute.
inline void SetExecuting(InterpreterFrame* frame, int offset) {
  frame->prev_instr = _PyCode_CODE(frame->f_code) + SkipExtendedArgs(frame, offset);
}
inline void SetNext(InterpreterFrame* frame, int offset) {
  frame->prev_instr = _PyCode_CODE(frame->f_code) + offset - 1;
}

}  // namespace dynacc
