#include "frontend/fallback/unwind.h"

#include <frameobject.h>

namespace dynacc::fallback {
namespace {

const bytecode::HandlerRange* FindHandler(const bytecode::DecodedCode& code, int unit) {
  for (const bytecode::HandlerRange& range : code.handlers()) {
    if (unit >= range.start && unit < range.end) return &range;
  }
  return nullptr;
}

void JoinTraceback(const frame::FrameView& frame) {
  Ref object = Ref::Steal(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(frame.thread())));
  if (object) PyTraceBack_Here(reinterpret_cast<PyFrameObject*>(object.get()));
}

// Takes the exception out of the thread, with its traceback set.
Ref TakeException() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyException_SetTraceback(value, traceback == nullptr ? Py_None : traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return Ref::Steal(value);
}

}  // namespace

bool UnwindToHandler(frame::FrameView& frame, const bytecode::DecodedCode& code, int unit,
                     StepOutcome raised, int* next) {
  if (raised != StepOutcome::kReraised) JoinTraceback(frame);
  const bytecode::HandlerRange* handler = FindHandler(code, unit);
  if (handler == nullptr) return false;
  {
    // What dies with the stack must not find the exception set, nor lose it.
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    frame.SetStackDepth(handler->depth);
    PyErr_Restore(type, value, traceback);
  }
  if (handler->push_lasti) frame.Push(PlaceOfRaise(frame.position()));
  frame.Push(TakeException());
  *next = handler->target;
  return true;
}

bool UnwindFromJump(frame::FrameView& frame, const bytecode::DecodedCode& code, int target,
                    int* next) {
  JoinTraceback(frame);
  const bool has_jumped = RunningBytecodeFormat().conventions().jumps_before_polling;
  const int unit = has_jumped ? target - 1 : frame.position();
  return UnwindToHandler(frame, code, unit, StepOutcome::kReraised, next);
}

}  // namespace dynacc::fallback
