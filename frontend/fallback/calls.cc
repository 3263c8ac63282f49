// Calls.
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/private_api.h"
#include "frontend/cpython/special_method.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

// The two entries below a call's arguments: [method][self], or a callable with a null below or
// above it (pushes_null_first of frontend/cpython/bytecode_format.h).
struct CallSlots {
  FrameSlot* base;  // the first of the two
  int arguments;    // without self

  CallSlots(const frame::FrameView& frame, int count)
      : base(frame.Top(count + 2)), arguments(count) {}

  bool is_method() const { return base[0] != nullptr && base[1] != nullptr; }
  BorrowedRef callable() const { return base[0] != nullptr ? base[0] : base[1]; }
  int total_arguments() const { return arguments + is_method(); }
  SlotObjects objects() const { return {is_method() ? base + 1 : base + 2, total_arguments()}; }
};

// A bound method is taken apart, so that self is an argument like the others.
void SplitBoundMethod(const CallSlots& slots) {
  if (slots.is_method() || !PyMethod_Check(slots.callable())) return;
  const Ref bound = (slots.base[0] != nullptr ? slots.base[0] : slots.base[1]).Take();
  slots.base[0].Put(Ref::New(PyMethod_GET_FUNCTION(bound.get())));
  slots.base[1].Put(Ref::New(PyMethod_GET_SELF(bound.get())));
}

// Drops callable and arguments in CPython's order: the callable first, then as they were given.
void DropSlots(frame::FrameView& frame, const CallSlots& slots) {
  const int depth = frame.stack_depth();
  const int count = slots.arguments + 2;
  if (slots.base[0] == nullptr) std::swap(slots.base[0], slots.base[1]);
  for (int i = 0; i < count; ++i) slots.base[i].Take();
  frame.SetStackDepth(depth - count);
}

// CPython polls after a call, but not in three cases. It runs a Python function in the same loop,
// which polls at the function's RESUME. It has instructions of its own for some calls, once they
// have been made a few times. And type(x) runs nothing.
bool PollsAfter(const PyThreadState* thread, BorrowedRef callable) {
  if (PyMethod_Check(callable)) callable = PyMethod_GET_FUNCTION(callable);
  return !Py_IS_TYPE(callable, &PyFunction_Type) &&
         callable != reinterpret_cast<PyObject*>(&PyType_Type) &&
         !HasCallOfItsOwn(thread, callable);
}

StepOutcome FinishCall(Step& step, Ref returned, bool polls) {
  if (!returned) return StepOutcome::kRaised;
  step.frame.Push(std::move(returned));
  return RaisedIf(polls && !PollEvalBreaker(step.frame.thread()));
}

StepOutcome CallWith(Step& step, BorrowedRef keyword_names) {
  SplitBoundMethod(CallSlots(step.frame, step.arg()));
  const CallSlots slots(step.frame, step.arg());
  const Py_ssize_t keywords = keyword_names == nullptr ? 0 : PyTuple_GET_SIZE(keyword_names);
  const size_t positional = slots.total_arguments() - keywords;
  const bool polls = PollsAfter(step.frame.thread(), slots.callable());
  const SlotObjects objects = slots.objects();
  Ref returned =
      Ref::Steal(PyObject_Vectorcall(slots.callable(), objects.data(),
                                     positional | PY_VECTORCALL_ARGUMENTS_OFFSET, keyword_names));
  DropSlots(step.frame, slots);
  return FinishCall(step, std::move(returned), polls);
}

StepOutcome Call(Step& step) { return CallWith(step, nullptr); }

StepOutcome CallKw(Step& step) { return CallWith(step, step.Constant(step.at.keywords)); }

// The callable under `above` entries, with its null.
BorrowedRef CallableBelow(const frame::FrameView& frame, int above) {
  const BorrowedRef upper = frame.Peek(above);
  return upper != nullptr ? upper : frame.Peek(above + 1);
}

// [callable, with its null][positional][keywords if the argument says so]
StepOutcome CallFunctionEx(Step& step) {
  Ref keywords = step.arg() & 1 ? step.frame.Pop() : Ref();
  Ref positional = step.frame.Pop();
  const BorrowedRef callable = CallableBelow(step.frame, 0);
  if (!PyTuple_CheckExact(positional.get())) {
    if (Py_TYPE(positional.get())->tp_iter == nullptr && !PySequence_Check(positional.get())) {
      Ref function = Ref::Steal(_PyObject_FunctionStr(callable));
      if (function)
        PyErr_Format(PyExc_TypeError, "%U argument after * must be an iterable, not %.200s",
                     function.get(), Py_TYPE(positional.get())->tp_name);
      return StepOutcome::kRaised;
    }
    positional = Ref::Steal(PySequence_Tuple(positional.get()));
    if (!positional) return StepOutcome::kRaised;
  }
  Ref returned = Ref::Steal(PyObject_Call(callable, positional.get(), keywords.get()));
  step.frame.SetStackDepth(step.frame.stack_depth() - 2);
  return FinishCall(step, std::move(returned), /*polls=*/true);
}

void RaiseNotAMapping(BorrowedRef callable, BorrowedRef keywords) {
  PyErr_Clear();
  Ref function = Ref::Steal(_PyObject_FunctionStr(callable));
  if (!function) return;
  PyErr_Format(PyExc_TypeError, "%U argument after ** must be a mapping, not %.200s",
               function.get(), Py_TYPE(keywords)->tp_name);
}

// A KeyError with one argument is the merge's own: that key came twice.
void RaiseTwice(BorrowedRef callable) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const Ref arguments = ArgumentsOfRaised(value);
  if (!arguments || PyTuple_GET_SIZE(arguments.get()) != 1)
    return PyErr_Restore(type, value, traceback);
  Ref function = Ref::Steal(_PyObject_FunctionStr(callable));
  if (function)
    PyErr_Format(PyExc_TypeError, "%U got multiple values for keyword argument '%S'",
                 function.get(), PyTuple_GET_ITEM(arguments.get(), 0));
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
}

// f(**a, **b): merges b into the dict of a's; a key may come only once.
StepOutcome DictMerge(Step& step) {
  Ref keywords = step.frame.Pop();
  constexpr int kRaiseOnDuplicates = 2;
  if (_PyDict_MergeEx(step.frame.Peek(step.arg() - 1), keywords.get(), kRaiseOnDuplicates) == 0)
    return StepOutcome::kNext;
  const BorrowedRef callable = CallableBelow(step.frame, step.arg() + 1);
  if (PyErr_ExceptionMatches(PyExc_AttributeError))
    RaiseNotAMapping(callable, keywords.get());
  else if (PyErr_ExceptionMatches(PyExc_KeyError))
    RaiseTwice(callable);
  return StepOutcome::kRaised;
}

// The special method of a context manager, bound. Empty without an error: there is none.
Ref ContextMethod(BorrowedRef manager, const char* name) {
  Ref text = Ref::Steal(PyUnicode_InternFromString(name));
  return text ? LookupSpecialMethod(manager, text.get()) : Ref();
}

StepOutcome RaiseNoContextManager(BorrowedRef manager, const char* detail) {
  if (PyErr_Occurred() == nullptr)
    PyErr_Format(PyExc_TypeError, "'%.200s' object does not support the context manager protocol%s",
                 Py_TYPE(manager)->tp_name, detail);
  return StepOutcome::kRaised;
}

// `with`: replaces the manager by its bound __exit__ and pushes what __enter__ returns.
StepOutcome BeforeWith(Step& step) {
  const BorrowedRef manager = step.frame.Peek(0);
  Ref enter = ContextMethod(manager, "__enter__");
  if (!enter) return RaiseNoContextManager(manager, "");
  Ref exit = ContextMethod(manager, "__exit__");
  if (!exit) return RaiseNoContextManager(manager, " (missed __exit__ method)");
  Ref held = step.frame.Pop();
  step.frame.Push(std::move(exit));
  held = Ref();
  return step.PushOrRaise(PyObject_CallNoArgs(enter.get()));
}

// The same where __exit__ has a place for its receiver: it is looked for first, and CPython has
// more to say of what is missing.
StepOutcome BeforeWithReceiver(Step& step) {
  const BorrowedRef manager = step.frame.Peek(0);
  Ref exit = ContextMethod(manager, "__exit__");
  Ref enter = exit ? ContextMethod(manager, "__enter__") : Ref();
  if (!enter) return PyErr_Occurred() != nullptr ? StepOutcome::kRaised : StepOutcome::kUnhandled;
  Ref held = step.frame.Pop();
  step.PushCallable(std::move(exit));
  held = Ref();
  return step.PushOrRaise(PyObject_CallNoArgs(enter.get()));
}

StepOutcome EnterWith(Step& step) {
  return (step.arg() & kExitHasReceiver) != 0 ? BeforeWithReceiver(step) : BeforeWith(step);
}

constexpr StepRow kRows[] = {
    {CALL, Call},
    {CALL_KW, CallKw},
    {CALL_FUNCTION_EX, CallFunctionEx},
    {DICT_MERGE, DictMerge},
    {BEFORE_WITH, EnterWith},
};

}  // namespace

absl::Span<const StepRow> CallSteps() { return kRows; }

}  // namespace dynacc::fallback
