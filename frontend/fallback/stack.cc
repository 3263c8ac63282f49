// Steps that only move values on the stack, and the frame's ends.
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/private_api.h"
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
  std::swap(*step.frame.Top(1), *step.frame.Top(step.arg()));
  return StepOutcome::kNext;
}

StepOutcome LoadConst(Step& step) {
  step.frame.Push(Ref::New(step.Constant(step.arg())));
  return StepOutcome::kNext;
}

StepOutcome LoadSmallInt(Step& step) { return step.PushOrRaise(PyLong_FromLong(step.arg())); }

StepOutcome LoadCommonConstant(Step& step) {
  step.frame.Push(Ref::New(CommonConstant(step.arg())));
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
    {LOAD_SMALL_INT, LoadSmallInt},
    {LOAD_COMMON_CONSTANT, LoadCommonConstant},
    {RETURN_VALUE, ReturnValue},
    {RETURN_CONST, ReturnConst},
};

}  // namespace

absl::Span<const StepRow> StackSteps() { return kRows; }

}  // namespace dynacc::fallback
