// CPython 3.11's layout; frontend/cpython/layout.h says what each function is.
//
// `prev_instr` points at the instruction that is executing, or, before it starts, at the unit in
// front of the next one. `stacktop` counts from localsplus[0] and is only valid (not -1) while
// _PyEval_EvalFrameDefault does not hold the frame. The evaluator's caller clears the frame.
#pragma once

#include <cstdint>

#include "frontend/cpython/frame_slot.h"
#include "frontend/cpython/internals.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

using InterpreterFrame = _PyInterpreterFrame;

// --- The frame

inline PyCodeObject* CodeOf(const InterpreterFrame* frame) { return frame->f_code; }
inline BorrowedRef FunctionOf(const InterpreterFrame* frame) {
  return reinterpret_cast<PyObject*>(frame->f_func);
}
inline void SetFrameCode(InterpreterFrame* frame, Ref code) {
  const Ref before = Ref::Steal(reinterpret_cast<PyObject*>(frame->f_code));
  frame->f_code = reinterpret_cast<PyCodeObject*>(code.Release());
}
inline FrameSlot* SlotsOf(InterpreterFrame* frame) {
  return reinterpret_cast<FrameSlot*>(frame->localsplus);
}
inline int StackTop(const InterpreterFrame* frame) { return frame->stacktop; }
inline void SetStackTop(InterpreterFrame* frame, int top) { frame->stacktop = top; }
inline int FramePosition(const InterpreterFrame* frame) {
  return _PyInterpreterFrame_LASTI(const_cast<InterpreterFrame*>(frame));
}
inline bool FrameIsFresh(const InterpreterFrame* frame) {
  return frame->prev_instr == _PyCode_CODE(frame->f_code) - 1;
}
inline void SetFramePosition(InterpreterFrame* frame, int unit) {
  frame->prev_instr = _PyCode_CODE(frame->f_code) + unit;
}
inline void SetNextUnit(InterpreterFrame* frame, int unit) {
  frame->prev_instr = _PyCode_CODE(frame->f_code) + unit - 1;
}
inline constexpr bool kFindsHandlersBehind = false;
inline void JoinChain(InterpreterFrame* frame, InterpreterFrame* previous) {
  frame->previous = previous;
  frame->is_entry = true;
}
inline void EndFrame(PyThreadState*, InterpreterFrame*) {}

// --- The thread

inline InterpreterFrame* CurrentFrame(const PyThreadState* thread) {
  return thread->cframe->current_frame;
}
inline void SetCurrentFrame(PyThreadState* thread, InterpreterFrame* frame) {
  thread->cframe->current_frame = frame;
}
inline void ChargeRecursion(PyThreadState* thread, int levels) {
  thread->recursion_remaining -= levels;
}
inline int RecursionLeft(const PyThreadState* thread) { return thread->recursion_remaining; }
inline bool IsTracing(const PyThreadState* thread) { return thread->cframe->use_tracing != 0; }
inline bool IsMonitored(const PyCodeObject*) { return false; }
inline bool AnyThreadIsTraced() {
  const PyThreadState* thread = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
  while (thread != nullptr && thread->c_tracefunc == nullptr && thread->c_profilefunc == nullptr)
    thread = thread->next;
  return thread != nullptr;
}
inline bool HasException(const PyThreadState* thread) { return thread->curexc_type != nullptr; }

// --- The eval breaker

// The word is 0 or 1; its first byte has the low bits.
inline const uint8_t* EvalBreakerByte(const PyThreadState* thread) {
  static_assert(PY_LITTLE_ENDIAN);
  return reinterpret_cast<const uint8_t*>(&thread->interp->ceval.eval_breaker);
}
inline bool EvalBreakerSet(const PyThreadState* thread) {
  return _Py_atomic_load_relaxed(&thread->interp->ceval.eval_breaker) != 0;
}

// --- Code units

inline uint8_t ExecutedOpcode(const PyCodeObject* code, int unit) {
  return _Py_OPCODE(_PyCode_CODE(code)[unit]);
}
inline uint16_t ExecutedUnit(const PyCodeObject* code, int unit) {
  return _PyCode_CODE(code)[unit];
}
inline void SetExecutedUnit(PyCodeObject* code, int unit, uint16_t content) {
  _PyCode_CODE(code)[unit] = content;
}
// EXTENDED_ARG and EXTENDED_ARG_QUICK.
inline bool IsExtendedArg(uint8_t opcode) { return opcode == 144 || opcode == 34; }
// JUMP_BACKWARD_QUICK, JUMP_BACKWARD_NO_INTERRUPT, JUMP_BACKWARD, POP_JUMP_BACKWARD_IF_...
inline bool MayJumpBack(uint8_t opcode) {
  return opcode == 38 || opcode == 134 || opcode == 140 || (opcode >= 173 && opcode <= 176);
}

// --- OSR
//
// RETURN_VALUE leaves _PyEval_EvalFrameDefault without clearing anything: it pops one entry, whose
// slot keeps its value, and its caller is us. On an empty stack it has read what lies below, and
// only counted. The return of a frame by itself stands at a RETURN_VALUE that was compiled.

inline constexpr auto& NewCode = PyCode_NewWithPosOnlyArgs;
inline void ShowCode(PyCodeObject*, BorrowedRef) {}
inline constexpr int kTrapUnits = 1;
inline constexpr int kFarthestPad = 0;  // its unit
inline constexpr int kPadUnits = 0;
inline void SetTrap(PyCodeObject* code, int at, int, int) {
  _Py_SET_OPCODE(_PyCode_CODE(code)[at], 83);  // RETURN_VALUE
}
inline bool SurvivesLoop(PyThreadState*, InterpreterFrame*, InterpreterFrame*) { return true; }
inline void UndoTrap(InterpreterFrame* frame, int) { ++frame->stacktop; }

// --- Objects

inline BorrowedRef TypeDict(PyTypeObject* type) { return type->tp_dict; }

// What lies before an object of a class with a managed dict: its values if they are kept without a
// dict, and its dict; one of the two is null. 3.11's pycore_object.h has these as
// _PyObject_ValuesPointer and _PyObject_ManagedDictPointer, but does not compile as C++.
inline PyObject** ManagedDictOf(BorrowedRef object) {
  return &reinterpret_cast<PyObject**>(object)[-3];
}
inline PyDictValues* InlineValuesOf(BorrowedRef object) {
  return reinterpret_cast<PyDictValues**>(object)[-4];
}
template <typename Reads>
void ReadInlineValues(BorrowedRef object, Reads& reads) {
  reads.Add(&reinterpret_cast<PyDictValues**>(object)[-4]);
}
inline PyDictKeysObject* const* SharedKeysOf(BorrowedRef object) {
  return &reinterpret_cast<PyHeapTypeObject*>(Py_TYPE(object))->ht_cached_keys;
}
inline constexpr bool kSplitDictsHaveVersions = true;
inline bool KeepsVersion(const PyDictObject*) { return true; }

struct RangeIterator {  // rangeiterobject of Objects/rangeobject.c
  PyObject ob_base;
  long index;
  long start;
  long step;
  long length;

  // Past the last value there may be no long.
  uint64_t Next() const {
    return static_cast<uint64_t>(start) +
           static_cast<uint64_t>(index) * static_cast<uint64_t>(step);
  }
  int64_t Rounds() const { return length - index; }
  void Leave(int64_t rounds) { index = length - rounds; }
};

// --- The runtime

inline constexpr bool kRaisesPlainImportErrors = true;
inline constexpr bool kClassMethodsAskDescriptors = true;
inline constexpr bool kUnpackingTellsSizes = false;
inline constexpr bool kTuplesAskLengths = true;
inline constexpr bool kRunsOfSortHoldEquals = false;

inline PyObject* LoadedModules(const PyInterpreterState* interpreter) {
  return interpreter->modules;
}
inline Py_ssize_t RequestCodeExtra(freefunc free) { return _PyEval_RequestCodeExtraIndex(free); }
inline int StoreCodeExtra(PyObject* code, Py_ssize_t index, void* extra) {
  return _PyCode_SetExtra(code, index, extra);
}
inline _Py_AuditHookEntry** AuditHooks() { return &_PyRuntime.audit_hook_head; }
inline bool MemoryTrackerIsOn() { return _Py_tracemalloc_config.tracing != 0; }
// CPython makes the instance from a tuple when somebody asks for it.
inline Ref RaisedArguments(BorrowedRef fetched) {
  return fetched != nullptr && PyTuple_Check(fetched) ? Ref::New(fetched) : Ref();
}
inline PyObject** AnnotatePlace(BorrowedRef) { return nullptr; }
inline BorrowedRef CommonConstantAt(int) { return PyExc_AssertionError; }
inline Ref LookupAttribute(BorrowedRef object, BorrowedRef name) {
  PyObject* found = nullptr;
  _PyObject_LookupAttr(object, name, &found);
  return Ref::Steal(found);
}

}  // namespace dynacc
