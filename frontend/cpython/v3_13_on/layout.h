// What the layouts of CPython 3.13 and 3.14 share; frontend/cpython/layout.h says what each
// function is. Each version's layout.h includes it, behind CodeOf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "frontend/cpython/internals.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

using InterpreterFrame = _PyInterpreterFrame;

inline PyCodeObject* CodeOf(const InterpreterFrame* frame);  // the version's

// --- The frame

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
inline uint16_t ExecutedUnit(const PyCodeObject* code, int unit) {
  return _PyCode_CODE(code)[unit].cache;
}
inline void SetExecutedUnit(PyCodeObject* code, int unit, uint16_t content) {
  _PyCode_CODE(code)[unit].cache = content;
}

// --- OSR

inline constexpr auto& NewCode = PyUnstable_Code_NewWithPosOnlyArgs;
// The frame on the C stack, which each call of the loop puts below ours, is gone, and yet the
// thread's current one. One level of Python recursion is still charged.
inline bool SurvivesLoop(PyThreadState* thread, InterpreterFrame* frame,
                         InterpreterFrame* previous) {
  if (thread->current_frame == previous) return false;
  thread->current_frame = previous;
  frame->previous = previous;
  ++thread->py_recursion_remaining;
  return true;
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
  return reinterpret_cast<PyDictValues*>(reinterpret_cast<char*>(object) +
                                         Py_TYPE(object)->tp_basicsize);
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
inline constexpr bool kRunsOfSortHoldEquals = true;

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
