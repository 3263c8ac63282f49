// Jumps and iteration. Backward jumps poll, so that a stepped loop can be interrupted.
#include "frontend/cpython/evaluator.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

StepOutcome Jump(Step& step) {
  const bool backward = step.at.target <= step.at.start;
  step.next = step.at.target;
  const bool goes_on = !backward || PollEvalBreaker(step.frame.thread());
  return goes_on ? StepOutcome::kNext : StepOutcome::kInterrupted;
}

StepOutcome JumpSilently(Step& step) {
  step.next = step.at.target;
  return StepOutcome::kNext;
}

// -1: an exception is set.
int Truth(BorrowedRef value) {
  if (value == Py_True) return 1;
  if (value == Py_False) return 0;
  return PyObject_IsTrue(value);
}

template <bool kWanted>
StepOutcome PopJumpIf(Step& step) {
  Ref condition = step.frame.Pop();
  const int truth = Truth(condition.get());
  if (truth < 0) return StepOutcome::kRaised;
  return (truth > 0) == kWanted ? Jump(step) : StepOutcome::kNext;
}

template <bool kWanted>
StepOutcome JumpIfOrPop(Step& step) {
  const int truth = Truth(step.frame.Peek(0));
  if (truth < 0) return StepOutcome::kRaised;
  if ((truth > 0) == kWanted) return Jump(step);
  step.frame.Pop();
  return StepOutcome::kNext;
}

template <bool kWanted>
StepOutcome PopJumpIfNone(Step& step) {
  Ref value = step.frame.Pop();
  return (value.get() == Py_None) == kWanted ? Jump(step) : StepOutcome::kNext;
}

StepOutcome GetIter(Step& step) {
  Ref iterable = step.frame.Pop();
  return step.PushOrRaise(PyObject_GetIter(iterable.get()));
}

StepOutcome ForIter(Step& step) {
  const BorrowedRef iterator = step.frame.Peek(0);
  Ref item = Ref::Steal(Py_TYPE(iterator)->tp_iternext(iterator));
  if (item) {
    step.frame.Push(std::move(item));
    return StepOutcome::kNext;
  }
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_StopIteration)) return StepOutcome::kRaised;
    PyErr_Clear();
  }
  step.frame.Pop();
  return JumpSilently(step);
}

constexpr StepRow kRows[] = {
    {JUMP_FORWARD, Jump},
    {JUMP_BACKWARD, Jump},
    {JUMP_BACKWARD_NO_INTERRUPT, JumpSilently},
    {POP_JUMP_IF_TRUE, PopJumpIf<true>},
    {POP_JUMP_IF_FALSE, PopJumpIf<false>},
    {POP_JUMP_IF_NONE, PopJumpIfNone<true>},
    {POP_JUMP_IF_NOT_NONE, PopJumpIfNone<false>},
    {JUMP_IF_TRUE_OR_POP, JumpIfOrPop<true>},
    {JUMP_IF_FALSE_OR_POP, JumpIfOrPop<false>},
    {GET_ITER, GetIter},
    {FOR_ITER, ForIter},
};

}  // namespace

absl::Span<const StepRow> JumpSteps() { return kRows; }

}  // namespace dynacc::fallback
