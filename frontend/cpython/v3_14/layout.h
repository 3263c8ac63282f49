// CPython 3.14's layout; frontend/cpython/layout.h says what each function is.
//
// `instr_ptr` points at the instruction that is executing or about to. Code, function, locals and
// stack are tagged references (tagged_slot.h). `stackpointer` is past the stack's top while
// _PyEval_EvalFrameDefault does not hold the frame.
// The evaluator clears the frame that it was called for, and takes it off the thread's data stack.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "frontend/cpython/frame_slot.h"
#include "frontend/cpython/internals.h"
#include "frontend/cpython/ref.h"
#include "frontend/cpython/v3_13_on/layout.h"

namespace dynacc {

// --- The frame

inline PyCodeObject* CodeOf(const InterpreterFrame* frame) {
  return reinterpret_cast<PyCodeObject*>(PyStackRef_AsPyObjectBorrow(frame->f_executable));
}
inline BorrowedRef FunctionOf(const InterpreterFrame* frame) {
  return PyStackRef_AsPyObjectBorrow(frame->f_funcobj);
}
inline void SetFrameCode(InterpreterFrame* frame, Ref code) {
  const _PyStackRef before = frame->f_executable;
  frame->f_executable = PyStackRef_FromPyObjectSteal(code.Release());
  PyStackRef_CLOSE(before);
}
inline FrameSlot* SlotsOf(InterpreterFrame* frame) {
  return reinterpret_cast<FrameSlot*>(frame->localsplus);
}
inline int StackTop(const InterpreterFrame* frame) {
  return static_cast<int>(frame->stackpointer - frame->localsplus);
}
inline void SetStackTop(InterpreterFrame* frame, int top) {
  frame->stackpointer = frame->localsplus + top;
}

// --- The thread

// C's levels are not counted: CPython looks at how much of the thread's stack is left.
inline int RecursionLeft(const PyThreadState* thread) {
  constexpr intptr_t kBytesOfLevel = 1024;
  const auto here = reinterpret_cast<intptr_t>(__builtin_frame_address(0));
  const auto* own = reinterpret_cast<const _PyThreadStateImpl*>(thread);
  const intptr_t levels = (here - static_cast<intptr_t>(own->c_stack_soft_limit)) / kBytesOfLevel;
  return static_cast<int>(
      std::clamp<intptr_t>(levels, 0, std::max(thread->py_recursion_remaining, 0)));
}

// --- Code units

inline bool IsExtendedArg(uint8_t opcode) { return opcode == 69; }
// JUMP_BACKWARD, JUMP_BACKWARD_NO_INTERRUPT, what JUMP_BACKWARD is specialised to, ENTER_EXECUTOR
// and what instruments a jump or a line.
inline bool MayJumpBack(uint8_t opcode) {
  return opcode == 75 || opcode == 76 || opcode == 175 || opcode == 176 || opcode >= 234;
}

// --- OSR
//
// A trap jumps to a pad behind the code, whose INTERPRETER_EXIT leaves _PyEval_EvalFrameDefault and
// clears nothing: it pops one entry, which it gives to its caller, and makes the frame below the
// current one. It is meant for the frame on the C stack that each call of the loop puts below ours.
// So that frame, which is gone, is the thread's current one then, and the one level of Python
// recursion is still charged.
//
// Where CPython has a JIT, if only one that is off, INTERPRETER_EXIT takes the frame's first slot
// for a compiled trace of its own and drops it. So the pad empties that slot: it puts what was
// there on the stack, and an int above it, which is what is popped.

inline constexpr int kTrapUnits = 2;
inline constexpr int kFarthestPad = 0xffff;  // its unit
inline constexpr int kPadUnits = 3;
inline void ShowCode(PyCodeObject* code, BorrowedRef shown) {
  PyObject*& cached = code->_co_cached->_co_code;
  const Ref before = Ref::Steal(std::exchange(cached, Py_NewRef(shown)));
}
inline void SetTrap(PyCodeObject* code, int at, int pad, int depth) {
  const auto write = [code](int unit, uint8_t opcode, int arg) {
    _PyCode_CODE(code)[unit].op = {opcode, static_cast<uint8_t>(arg)};
  };
  const int distance = pad - (at + kTrapUnits);
  const bool has_slot = code->co_nlocalsplus + depth > 0;
  write(at, 69, distance >> 8);       // EXTENDED_ARG
  write(at + 1, 77, distance);        // JUMP_FORWARD
  write(pad, has_slot ? 85 : 33, 0);  // LOAD_FAST_AND_CLEAR or PUSH_NULL
  write(pad + 1, 94, 0);              // LOAD_SMALL_INT
  write(pad + 2, 20, 0);              // INTERPRETER_EXIT
}
// The compiler knows that no local is written while the stack borrows it. We may.
inline void UndoTrap(InterpreterFrame* frame, int depth) {
  const int top = CodeOf(frame)->co_nlocalsplus + depth;
  FrameSlot* const slots = SlotsOf(frame);
  if (top > 0) slots[0] = slots[top];
  SetStackTop(frame, top);
  for (int i = top - depth; i < top; ++i) slots[i].Hold();
}

// --- Objects

inline constexpr bool kSplitDictsHaveVersions = false;
// CPython's dicts have no version. It tells watchers of each change before it makes it, and ours
// gives the dict a new number (dict_versions.cc).
bool KeepsVersion(PyDictObject* dict);

// --- The runtime

inline constexpr bool kUnpackingTellsSizes = true;
inline constexpr bool kTuplesAskLengths = false;

// CPython's own just-in-time compiler, which rewrites code that it runs.
inline bool JitIsOn(const PyInterpreterState* interpreter) { return interpreter->jit; }
inline PyObject** AnnotatePlace(BorrowedRef function) {
  return &reinterpret_cast<PyFunctionObject*>(function)->func_annotate;
}
inline BorrowedRef CommonConstantAt(int number) {
  return PyInterpreterState_Get()->common_consts[number];
}

}  // namespace dynacc
