// CPython 3.13's layout; frontend/cpython/layout.h says what each function is.
//
// `instr_ptr` points at the instruction that is executing or about to. `stacktop` counts from
// localsplus[0] and is only valid (not -1) while _PyEval_EvalFrameDefault does not hold the frame.
// The evaluator clears the frame that it was called for, and takes it off the thread's data stack.
#pragma once

#include <algorithm>
#include <cstdint>

#include "frontend/cpython/frame_slot.h"
#include "frontend/cpython/internals.h"
#include "frontend/cpython/ref.h"
#include "frontend/cpython/v3_13_on/layout.h"

namespace dynacc {

// --- The frame

inline PyCodeObject* CodeOf(const InterpreterFrame* frame) {
  return reinterpret_cast<PyCodeObject*>(frame->f_executable);
}
inline BorrowedRef FunctionOf(const InterpreterFrame* frame) { return frame->f_funcobj; }
inline void SetFrameCode(InterpreterFrame* frame, Ref code) {
  const Ref before = Ref::Steal(frame->f_executable);
  frame->f_executable = code.Release();
}
inline FrameSlot* SlotsOf(InterpreterFrame* frame) {
  return reinterpret_cast<FrameSlot*>(frame->localsplus);
}
inline int StackTop(const InterpreterFrame* frame) { return frame->stacktop; }
inline void SetStackTop(InterpreterFrame* frame, int top) { frame->stacktop = top; }

// --- The thread

inline int RecursionLeft(const PyThreadState* thread) {
  return std::min(thread->py_recursion_remaining, thread->c_recursion_remaining);
}

// --- Code units

inline bool IsExtendedArg(uint8_t opcode) { return opcode == 71; }
// JUMP_BACKWARD, JUMP_BACKWARD_NO_INTERRUPT, ENTER_EXECUTOR and what instruments a jump or a line.
inline bool MayJumpBack(uint8_t opcode) {
  return opcode == 77 || opcode == 78 || opcode == 70 || opcode >= 247;
}

// --- OSR
//
// INTERPRETER_EXIT leaves _PyEval_EvalFrameDefault and clears nothing: it pops one entry, whose
// slot keeps its value, makes the frame below the current one, and counts back the levels of C
// recursion. It is meant for the frame on the C stack that each call of the loop puts below ours.
// So that frame, which is gone, is the thread's current one then, the one level of Python recursion
// is still charged, and the stack's depth was never stored.

inline void ShowCode(PyCodeObject*, BorrowedRef) {}
inline constexpr int kTrapUnits = 1;
inline constexpr int kFarthestPad = 0;  // its unit
inline constexpr int kPadUnits = 0;
inline void SetTrap(PyCodeObject* code, int at, int, int) {
  _PyCode_CODE(code)[at].op.code = 22;  // INTERPRETER_EXIT
}
inline void UndoTrap(InterpreterFrame* frame, int depth) {
  frame->stacktop = CodeOf(frame)->co_nlocalsplus + depth;
}

// --- Objects

// A store into an instance whose dict exists tells watchers, and leaves the version as it was
// (store_instance_attr_lock_held of Objects/dictobject.c).
inline constexpr bool kSplitDictsHaveVersions = false;
inline bool KeepsVersion(const PyDictObject*) { return true; }

// --- The runtime

inline constexpr bool kUnpackingTellsSizes = false;
inline constexpr bool kTuplesAskLengths = true;

// CPython's own just-in-time compiler, which rewrites code that it runs.
inline bool JitIsOn(const PyInterpreterState*) { return false; }
inline PyObject** AnnotatePlace(BorrowedRef) { return nullptr; }
inline BorrowedRef CommonConstantAt(int) { return PyExc_AssertionError; }

}  // namespace dynacc
