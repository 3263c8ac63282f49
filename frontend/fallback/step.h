// What the step functions share: one function an opcode, one file a family.
//
// Each does what the opcode's body does in CPython (Python/ceval.c, Python/bytecodes.c), in the
// same order of effects and with the same exceptions and messages. Opcodes without a row
// (generators, exception groups, pattern matching on classes) are left to CPython.
#pragma once

#include <Python.h>

#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/fallback/step_interpreter.h"
#include "frontend/frame/frame_view.h"

namespace dynacc::fallback {

struct Step {
  frame::FrameView& frame;
  const bytecode::DecodedCode& code;
  const bytecode::Instruction& at;
  int next;     // where to go on; the following instruction unless the step says otherwise
  Ref* result;  // what the frame returns

  int arg() const { return at.arg; }
  BorrowedRef Name(int index) const { return PyTuple_GET_ITEM(code.code()->co_names, index); }
  BorrowedRef Constant(int index) const { return PyTuple_GET_ITEM(code.code()->co_consts, index); }
  BorrowedRef Local(int index) const { return frame.localsplus()[index]; }

  // Pushes a new reference; null says that its making has failed.
  StepOutcome PushOrRaise(PyObject* owned) {
    if (owned == nullptr) return StepOutcome::kRaised;
    frame.Push(Ref::Steal(owned));
    return StepOutcome::kNext;
  }
  // Pushes what is about to be called without a receiver, with the null that CALL wants beside it.
  void PushCallable(Ref callable) {
    const bool null_first = RunningBytecodeFormat().conventions().pushes_null_first;
    if (null_first) frame.Push(Ref());
    frame.Push(std::move(callable));
    if (!null_first) frame.Push(Ref());
  }
};

inline StepOutcome RaisedIf(bool failed) {
  return failed ? StepOutcome::kRaised : StepOutcome::kNext;
}

using StepFunction = StepOutcome (*)(Step& step);

struct StepRow {
  uint8_t opcode;
  StepFunction function;
};

absl::Span<const StepRow> StackSteps();
absl::Span<const StepRow> VariableSteps();
absl::Span<const StepRow> AttributeSteps();
absl::Span<const StepRow> OperatorSteps();
absl::Span<const StepRow> ContainerSteps();
absl::Span<const StepRow> UnpackingSteps();
absl::Span<const StepRow> StringSteps();
absl::Span<const StepRow> JumpSteps();
absl::Span<const StepRow> CallSteps();
absl::Span<const StepRow> DefinitionSteps();
absl::Span<const StepRow> ImportSteps();
absl::Span<const StepRow> ExceptionSteps();

}  // namespace dynacc::fallback
