// Steps that only move values on the stack, and the frame's ends.
#include "frontend/cpython/evaluator.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

StepOutcome Nop(Step&) { return StepOutcome::kNext; }

// After a yield (2) or an await (3) CPython does not poll.
StepOutcome Resume(Step& step) {
  return RaisedIf(step.arg() < 2 && !PollEvalBreaker(step.frame.thread()));
}

StepOutcome PopTop(Step& step) {
  step.frame.Pop();
  return StepOutcome::kNext;
}

StepOutcome PushNull(Step& step) {
  step.frame.Push(Ref());
  return StepOutcome::kNext;
}

StepOutcome Copy(Step& step) {
  step.frame.Push(Ref::New(step.frame.Peek(step.arg() - 1)));
  return StepOutcome::kNext;
}

StepOutcome Swap(Step& step) {
  PyObject** top =
      step.frame.localsplus() + step.frame.num_localsplus() + step.frame.stack_depth() - 1;
  std::swap(*top, *(top - (step.arg() - 1)));
  return StepOutcome::kNext;
}

StepOutcome LoadConst(Step& step) {
  step.frame.Push(Ref::New(step.Constant(step.arg())));
  return StepOutcome::kNext;
}

StepOutcome LoadAssertionError(Step& step) {
  step.frame.Push(Ref::New(PyExc_AssertionError));
  return StepOutcome::kNext;
}

StepOutcome ReturnValue(Step& step) {
  *step.result = step.frame.Pop();
  return StepOutcome::kReturned;
}

StepOutcome ReturnConst(Step& step) {
  *step.result = Ref::New(step.Constant(step.arg()));
  return StepOutcome::kReturned;
}

constexpr StepRow kRows[] = {
    {NOP, Nop},
    {RESUME, Resume},
    {POP_TOP, PopTop},
    {PUSH_NULL, PushNull},
    {COPY, Copy},
    {SWAP, Swap},
    {LOAD_CONST, LoadConst},
    {LOAD_ASSERTION_ERROR, LoadAssertionError},
    {RETURN_VALUE, ReturnValue},
    {RETURN_CONST, ReturnConst},
};

}  // namespace

absl::Span<const StepRow> StackSteps() { return kRows; }

}  // namespace dynacc::fallback
