// From 3.13 on CPython keeps a table of its structs for debuggers, _Py_DebugOffsets, at the start
// of its runtime's state. The sizes of that state and of an interpreter's are not compared: patch
// releases add interned names and fields at the end (from 3.13.0 to 3.13.5, 56 and 8 bytes).
#include <cstring>

#include "frontend/cpython/layout.h"
#include "frontend/cpython/layout_check.h"

namespace dynacc {

absl::StatusOr<std::vector<LayoutFact>> LayoutFacts() {
  const _Py_DebugOffsets& told = _PyRuntime.debug_offsets;
  if (std::memcmp(told.cookie, _Py_Debug_Cookie, sizeof(told.cookie)) != 0) {
    return absl::FailedPreconditionError(
        "this CPython does not tell how its structs are laid out (_Py_DebugOffsets)");
  }
  if (told.free_threaded != 0) {
    return absl::FailedPreconditionError(
        "this is a free-threaded build of CPython; DynaCC needs one with the GIL");
  }
  if (JitIsOn(PyInterpreterState_Get())) {
    return absl::FailedPreconditionError(
        "CPython's own just-in-time compiler is on (PYTHON_JIT), which rewrites the code that it "
        "runs");
  }
#define DYNACC_SIZE(group, type) \
  { "sizeof(" #type ")", sizeof(type), told.group.size }
#define DYNACC_OFFSET(group, field, type, member) \
  { #type "." #member, offsetof(type, member), told.group.field }
  return std::vector<LayoutFact>{
      DYNACC_OFFSET(runtime_state, finalizing, _PyRuntimeState, _finalizing),
      DYNACC_OFFSET(runtime_state, interpreters_head, _PyRuntimeState, interpreters.head),
      DYNACC_OFFSET(interpreter_state, next, PyInterpreterState, next),
      DYNACC_OFFSET(interpreter_state, threads_head, PyInterpreterState, threads.head),
      DYNACC_OFFSET(interpreter_state, gc, PyInterpreterState, gc),
      DYNACC_OFFSET(interpreter_state, imports_modules, PyInterpreterState, imports.modules),
      DYNACC_OFFSET(interpreter_state, builtins, PyInterpreterState, builtins),
      DYNACC_OFFSET(interpreter_state, ceval_gil, PyInterpreterState, ceval.gil),
      DYNACC_SIZE(thread_state, PyThreadState),
      DYNACC_OFFSET(thread_state, next, PyThreadState, next),
      DYNACC_OFFSET(thread_state, interp, PyThreadState, interp),
      DYNACC_OFFSET(thread_state, current_frame, PyThreadState, current_frame),
      DYNACC_OFFSET(thread_state, thread_id, PyThreadState, thread_id),
      DYNACC_OFFSET(thread_state, datastack_chunk, PyThreadState, datastack_chunk),
      DYNACC_SIZE(interpreter_frame, _PyInterpreterFrame),
      DYNACC_OFFSET(interpreter_frame, previous, _PyInterpreterFrame, previous),
      DYNACC_OFFSET(interpreter_frame, executable, _PyInterpreterFrame, f_executable),
      DYNACC_OFFSET(interpreter_frame, instr_ptr, _PyInterpreterFrame, instr_ptr),
      DYNACC_OFFSET(interpreter_frame, localsplus, _PyInterpreterFrame, localsplus),
      DYNACC_OFFSET(interpreter_frame, owner, _PyInterpreterFrame, owner),
      DYNACC_SIZE(code_object, PyCodeObject),
      DYNACC_OFFSET(code_object, name, PyCodeObject, co_name),
      DYNACC_OFFSET(code_object, localsplusnames, PyCodeObject, co_localsplusnames),
      DYNACC_OFFSET(code_object, localspluskinds, PyCodeObject, co_localspluskinds),
      DYNACC_OFFSET(code_object, co_code_adaptive, PyCodeObject, co_code_adaptive),
      DYNACC_SIZE(pyobject, PyObject),
      DYNACC_OFFSET(pyobject, ob_type, PyObject, ob_type),
      DYNACC_SIZE(type_object, PyTypeObject),
      DYNACC_OFFSET(type_object, tp_flags, PyTypeObject, tp_flags),
      DYNACC_OFFSET(tuple_object, ob_item, PyTupleObject, ob_item),
      DYNACC_OFFSET(list_object, ob_item, PyListObject, ob_item),
      DYNACC_SIZE(dict_object, PyDictObject),
      DYNACC_OFFSET(dict_object, ma_keys, PyDictObject, ma_keys),
      DYNACC_OFFSET(dict_object, ma_values, PyDictObject, ma_values),
      DYNACC_OFFSET(float_object, ob_fval, PyFloatObject, ob_fval),
      DYNACC_OFFSET(long_object, lv_tag, PyLongObject, long_value.lv_tag),
      DYNACC_OFFSET(long_object, ob_digit, PyLongObject, long_value.ob_digit),
      DYNACC_OFFSET(bytes_object, ob_sval, PyBytesObject, ob_sval),
      DYNACC_OFFSET(unicode_object, state, PyASCIIObject, state),
      DYNACC_OFFSET(unicode_object, length, PyASCIIObject, length),
  };
#undef DYNACC_OFFSET
#undef DYNACC_SIZE
}

}  // namespace dynacc
