// Steps of raise statements and exception handlers. How an exception reaches a handler is in
// frontend/fallback/unwind.h.
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

// A bare `raise`: what is being handled, whatever frame or generator handles it.
StepOutcome RaiseHandled(Step& step) {
  const _PyErr_StackItem* handled = step.frame.thread()->exc_info;
  while ((handled->exc_value == nullptr || handled->exc_value == Py_None) &&
         handled->previous_item != nullptr) {
    handled = handled->previous_item;
  }
  PyObject* value = handled->exc_value;
  if (value == nullptr || value == Py_None) {
    PyErr_SetString(PyExc_RuntimeError, "No active exception to reraise");
    return StepOutcome::kRaised;
  }
  PyErr_Restore(Py_NewRef(PyExceptionInstance_Class(value)), Py_NewRef(value),
                PyException_GetTraceback(value));
  return StepOutcome::kReraised;
}

// The exception that `raise object` raises; empty with an exception set.
Ref MakeException(BorrowedRef object) {
  if (PyExceptionInstance_Check(object)) return Ref::New(object);
  if (!PyExceptionClass_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "exceptions must derive from BaseException");
    return Ref();
  }
  Ref value = Ref::Steal(PyObject_CallNoArgs(object));
  if (value && !PyExceptionInstance_Check(value.get())) {
    PyErr_Format(PyExc_TypeError,
                 "calling %R should have returned an instance of BaseException, not %R", object,
                 Py_TYPE(value.get()));
    return Ref();
  }
  return value;
}

bool SetCause(BorrowedRef exception, BorrowedRef cause) {
  Ref fixed;
  if (PyExceptionInstance_Check(cause)) {
    fixed = Ref::New(cause);
  } else if (cause != Py_None) {
    PyErr_SetString(PyExc_TypeError, "exception causes must derive from BaseException");
    return false;
  }
  PyException_SetCause(exception, fixed.Release());
  return true;
}

StepOutcome RaiseVarargs(Step& step) {
  if (step.arg() == 0) return RaiseHandled(step);
  // What the versions of CPython take for a class's instance differs.
  if (step.arg() == 2 && PyExceptionClass_Check(step.frame.Peek(0))) return StepOutcome::kUnhandled;
  Ref cause = step.arg() == 2 ? step.frame.Pop() : Ref();
  Ref object = step.frame.Pop();
  Ref exception = MakeException(object.get());
  if (exception && (!cause || SetCause(exception.get(), cause.get()))) {
    PyErr_SetObject(PyExceptionInstance_Class(exception.get()), exception.get());
  }
  return StepOutcome::kRaised;
}

// The exception on the stack becomes the one that is being handled; below it goes the one before.
StepOutcome PushExcInfo(Step& step) {
  Ref exception = step.frame.Pop();
  _PyErr_StackItem* handled = step.frame.thread()->exc_info;
  PyObject* before = handled->exc_value == nullptr ? Py_NewRef(Py_None) : handled->exc_value;
  handled->exc_value = Py_NewRef(exception.get());
  step.frame.Push(Ref::Steal(before));
  step.frame.Push(std::move(exception));
  return StepOutcome::kNext;
}

StepOutcome PopExcept(Step& step) {
  _PyErr_StackItem* handled = step.frame.thread()->exc_info;
  Ref dropped = Ref::Steal(std::exchange(handled->exc_value, step.frame.Pop().Release()));
  return StepOutcome::kNext;
}

bool MayBeCaught(BorrowedRef type) {
  if (PyExceptionClass_Check(type)) return true;
  if (!PyTuple_Check(type)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type); ++i) {
    if (!PyExceptionClass_Check(PyTuple_GET_ITEM(type, i))) return false;
  }
  return true;
}

StepOutcome CheckExcMatch(Step& step) {
  Ref type = step.frame.Pop();
  if (!MayBeCaught(type.get())) {
    PyErr_SetString(PyExc_TypeError,
                    "catching classes that do not inherit from BaseException is not allowed");
    return StepOutcome::kRaised;
  }
  const int matches = PyErr_GivenExceptionMatches(step.frame.Peek(0), type.get());
  step.frame.Push(Ref::New(matches ? Py_True : Py_False));
  return StepOutcome::kNext;
}

// The frame stands again where the exception was raised, which CPython left on the stack.
StepOutcome Reraise(Step& step) {
  if (step.arg() > 0) {
    step.frame.SetPosition(static_cast<int>(PyLong_AsLong(step.frame.Peek(step.arg()))));
  }
  Ref exception = step.frame.Pop();
  PyErr_Restore(Py_NewRef(PyExceptionInstance_Class(exception.get())), Py_NewRef(exception.get()),
                PyException_GetTraceback(exception.get()));
  return StepOutcome::kReraised;
}

// Stack: __exit__, in some versions its receiver or a null, the place of the raise, the exception
// handled before, the exception.
StepOutcome WithExceptStart(Step& step) {
  constexpr int kAboveExit = 3;
  const bool has_place = (step.arg() & kExitHasReceiver) != 0;
  const BorrowedRef exception = step.frame.Peek(0);
  const BorrowedRef exit = step.frame.Peek(kAboveExit + (has_place ? 1 : 0));
  const BorrowedRef receiver = has_place ? step.frame.Peek(kAboveExit) : BorrowedRef();
  Ref traceback = Ref::Steal(PyException_GetTraceback(exception));
  PyObject* arguments[] = {nullptr, receiver, PyExceptionInstance_Class(exception), exception,
                           traceback ? traceback.get() : Py_None};
  const size_t with_receiver = receiver != nullptr ? 1 : 0;
  return step.PushOrRaise(PyObject_Vectorcall(exit, arguments + 2 - with_receiver,
                                              (3 + with_receiver) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                              nullptr));
}

constexpr StepRow kRows[] = {
    {RAISE_VARARGS, RaiseVarargs},
    {PUSH_EXC_INFO, PushExcInfo},
    {POP_EXCEPT, PopExcept},
    {CHECK_EXC_MATCH, CheckExcMatch},
    {RERAISE, Reraise},
    {WITH_EXCEPT_START, WithExceptStart},
};

}  // namespace

absl::Span<const StepRow> ExceptionSteps() { return kRows; }

}  // namespace dynacc::fallback
