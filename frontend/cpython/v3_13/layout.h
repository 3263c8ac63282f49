// CPython 3.13's layout; frontend/cpython/layout.h says what each function is.
//
// `instr_ptr` points at the instruction that is executing or about to. `stacktop` counts from
// localsplus[0] and is only valid (not -1) while _PyEval_EvalFrameDefault does not hold the frame.
// The evaluator clears the frame that it was called for, and takes it off the thread's data stack.
#pragma once

#include <algorithm>
#include <cstdint>

#include "frontend/cpython/internals.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

using InterpreterFrame = _PyInterpreterFrame;

// --- The frame

inline PyCodeObject* CodeOf(const InterpreterFrame* frame) {
  return reinterpret_cast<PyCodeObject*>(frame->f_executable);
}
inline BorrowedRef FunctionOf(const InterpreterFrame* frame) { return frame->f_funcobj; }
inline void SetFrameCode(InterpreterFrame* frame, Ref code) {
  const Ref before = Ref::Steal(frame->f_executable);
  frame->f_executable = code.Release();
}
inline int StackTop(const InterpreterFrame* frame) { return frame->stacktop; }
inline void SetStackTop(InterpreterFrame* frame, int top) { frame->stacktop = top; }
inline int FramePosition(const InterpreterFrame* frame) {
  return static_cast<int>(frame->instr_ptr - _PyCode_CODE(CodeOf(frame)));
}
inline bool FrameIsFresh(const InterpreterFrame* frame) { return FramePosition(frame) == 0; }
inline void SetFramePosition(InterpreterFrame* frame, int unit) {
  frame->instr_ptr = _PyCode_CODE(CodeOf(frame)) + unit;
}
inline void SetNextUnit(InterpreterFrame* frame, int unit) {
  frame->instr_ptr = _PyCode_CODE(CodeOf(frame)) + unit;
  frame->return_offset = 0;
}
inline constexpr bool kFindsHandlersBehind = true;
inline void JoinChain(InterpreterFrame* frame, InterpreterFrame* previous) {
  frame->previous = previous;
}
inline void EndFrame(PyThreadState* thread, InterpreterFrame* frame) {
  _PyEval_FrameClearAndPop(thread, frame);
}

// --- The thread

inline InterpreterFrame* CurrentFrame(const PyThreadState* thread) { return thread->current_frame; }
inline void SetCurrentFrame(PyThreadState* thread, InterpreterFrame* frame) {
  thread->current_frame = frame;
}
inline void ChargeRecursion(PyThreadState* thread, int levels) {
  thread->py_recursion_remaining -= levels;
}
inline int RecursionLeft(const PyThreadState* thread) {
  return std::min(thread->py_recursion_remaining, thread->c_recursion_remaining);
}
// sys.settrace and sys.setprofile are tools of sys.monitoring, too, in all threads.
inline bool IsMonitored(const PyInterpreterState* interpreter) {
  const auto& tools = interpreter->monitors.tools;
  return std::any_of(std::begin(tools), std::end(tools), [](uint8_t tool) { return tool != 0; });
}
inline bool IsMonitored(const PyCodeObject* code) {
  if (code->_co_monitoring == nullptr) return false;
  const auto& tools = code->_co_monitoring->local_monitors.tools;
  return std::any_of(std::begin(tools), std::end(tools), [](uint8_t tool) { return tool != 0; });
}
inline bool IsTracing(const PyThreadState* thread) {
  return thread->c_tracefunc != nullptr || thread->c_profilefunc != nullptr ||
         IsMonitored(thread->interp);
}
inline bool AnyThreadIsTraced() { return IsMonitored(PyInterpreterState_Get()); }
inline bool HasException(const PyThreadState* thread) {
  return thread->current_exception != nullptr;
}

// --- The eval breaker
//
// The word's low byte says what waits; above it is the number of the instrumentation's state.

inline const uint8_t* EvalBreakerByte(const PyThreadState* thread) {
  static_assert(PY_LITTLE_ENDIAN && _PY_EVAL_EVENTS_MASK == 0xff);
  return reinterpret_cast<const uint8_t*>(&thread->eval_breaker);
}
inline bool EvalBreakerSet(const PyThreadState* thread) {
  return (__atomic_load_n(&thread->eval_breaker, __ATOMIC_RELAXED) & _PY_EVAL_EVENTS_MASK) != 0;
}

// --- Code units

inline uint8_t ExecutedOpcode(const PyCodeObject* code, int unit) {
  return _PyCode_CODE(code)[unit].op.code;
}
inline void SetExecutedOpcode(PyCodeObject* code, int unit, uint8_t opcode) {
  _PyCode_CODE(code)[unit].op.code = opcode;
}
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

inline constexpr uint8_t kTrapOpcode = 22;  // INTERPRETER_EXIT
inline bool SurvivesLoop(PyThreadState* thread, InterpreterFrame* frame,
                         InterpreterFrame* previous) {
  if (thread->current_frame == previous) return false;
  thread->current_frame = previous;
  frame->previous = previous;
  ++thread->py_recursion_remaining;
  return true;
}
inline void UndoTrap(InterpreterFrame* frame, int depth) {
  frame->stacktop = CodeOf(frame)->co_nlocalsplus + depth;
}

// --- Objects

// That of a builtin type lies in the interpreter's state.
inline BorrowedRef TypeDict(PyTypeObject* type) {
  if (type->tp_dict != nullptr) return type->tp_dict;
  const Ref held = Ref::Steal(PyType_GetDict(type));
  return held.get();
}

inline PyObject** ManagedDictOf(BorrowedRef object) {
  return &reinterpret_cast<PyObject**>(object)[-3];
}
// An instance has a dict or values that are valid; a dict may have the instance's values as its
// own.
inline bool MayHaveInlineValues(BorrowedRef object) {
  return *ManagedDictOf(object) == nullptr &&
         PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_INLINE_VALUES);
}
inline PyDictValues* PlaceOfInlineValues(BorrowedRef object) {
  return reinterpret_cast<PyDictValues*>(static_cast<PyObject*>(object) + 1);
}
inline PyDictValues* InlineValuesOf(BorrowedRef object) {
  if (!MayHaveInlineValues(object)) return nullptr;
  PyDictValues* const values = PlaceOfInlineValues(object);
  return values->valid != 0 ? values : nullptr;
}
template <typename Reads>
void ReadInlineValues(BorrowedRef object, Reads& reads) {
  reads.Add(ManagedDictOf(object));
  if (MayHaveInlineValues(object)) reads.Add(&PlaceOfInlineValues(object)->valid);
}
inline PyDictKeysObject* const* SharedKeysOf(BorrowedRef object) {
  return &reinterpret_cast<PyHeapTypeObject*>(Py_TYPE(object))->ht_cached_keys;
}
// A store into an instance whose dict exists tells watchers, and leaves the version as it was
// (store_instance_attr_lock_held of Objects/dictobject.c).
inline constexpr bool kSplitDictsHaveVersions = false;

struct RangeIterator {  // _PyRangeIterObject of pycore_range.h
  PyObject ob_base;
  long start;
  long step;
  long length;

  uint64_t Next() const { return static_cast<uint64_t>(start); }
  int64_t Rounds() const { return length; }
  void Leave(int64_t rounds) {
    start = static_cast<long>(static_cast<uint64_t>(start) +
                              static_cast<uint64_t>(length - rounds) * static_cast<uint64_t>(step));
    length = static_cast<long>(rounds);
  }
};

// --- The runtime

inline constexpr bool kRaisesPlainImportErrors = false;
inline constexpr bool kClassMethodsAskDescriptors = false;
inline constexpr bool kSortsByInsertion = false;

inline PyObject* LoadedModules(const PyInterpreterState* interpreter) {
  return interpreter->imports.modules;
}
inline Py_ssize_t RequestCodeExtra(freefunc free) {
  return PyUnstable_Eval_RequestCodeExtraIndex(free);
}
inline int StoreCodeExtra(PyObject* code, Py_ssize_t index, void* extra) {
  return PyUnstable_Code_SetExtra(code, index, extra);
}
inline _Py_AuditHookEntry** AuditHooks() { return &_PyRuntime.audit_hooks.head; }
inline bool MemoryTrackerIsOn() { return _PyRuntime.tracemalloc.config.tracing != 0; }
inline Ref RaisedArguments(BorrowedRef fetched) {
  return fetched != nullptr ? Ref::Steal(PyException_GetArgs(fetched)) : Ref();
}
inline Ref LookupAttribute(BorrowedRef object, BorrowedRef name) {
  PyObject* found = nullptr;
  PyObject_GetOptionalAttr(object, name, &found);
  return Ref::Steal(found);
}

}  // namespace dynacc
