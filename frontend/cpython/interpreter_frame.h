// Interpreter frames, on top of the running version's layout (layout.h).
#pragma once

#include "frontend/cpython/layout.h"

namespace dynacc {

inline bool FrameOwnedByThread(const InterpreterFrame* frame) {
  return frame->owner == FRAME_OWNED_BY_THREAD;
}
inline bool FrameIsFunction(const InterpreterFrame* frame) {
  constexpr int kOptimized = CO_OPTIMIZED | CO_NEWLOCALS;
  constexpr int kSuspendable = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  return (CodeOf(frame)->co_flags & (kOptimized | kSuspendable)) == kOptimized;
}
// The frame that called it; null: none did. Needs the GIL, and a frame that runs.
inline const InterpreterFrame* CallerOf(const InterpreterFrame* frame) { return frame->previous; }
// Whether the code makes a generator, coroutine or async generator.
inline bool FrameIsSuspendable(const InterpreterFrame* frame) {
  return (CodeOf(frame)->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
}

// The unit of the opcode proper of the instruction that starts at `offset`: handlers, lines and
// lasti go by it, not by its EXTENDED_ARGs.
inline int SkipExtendedArgs(const InterpreterFrame* frame, int offset) {
  while (IsExtendedArg(ExecutedOpcode(CodeOf(frame), offset))) ++offset;
  return offset;
}
// The instruction that starts at `offset` is executing.
inline void SetExecuting(InterpreterFrame* frame, int offset) {
  SetFramePosition(frame, SkipExtendedArgs(frame, offset));
}

}  // namespace dynacc
