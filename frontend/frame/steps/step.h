// What the step functions share: one function an opcode, one file a family.
//
// Each does what the opcode's body in CPython 3.11's Python/ceval.c does, in the same order of
// effects and with the same exceptions and messages. Opcodes without a row (generators, exception
// groups, pattern matching on classes) are left to CPython.
#pragma once

#include <Python.h>
#include <opcode.h>

#include <cstdint>
#include <span>

#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/frame_view.h"
#include "frontend/frame/step_interpreter.h"

namespace dynacc {

struct Step {
  FrameView& frame;
  const DecodedCode& code;
  const Instruction& at;
  int next;     // where to go on; the following instruction unless the step says otherwise
  Ref* result;  // RETURN_VALUE's

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
};

inline StepOutcome RaisedIf(bool failed) {
  return failed ? StepOutcome::kRaised : StepOutcome::kNext;
}

using StepFunction = StepOutcome (*)(Step& step);

struct StepRow {
  uint8_t opcode;
  StepFunction function;
};

std::span<const StepRow> StackSteps();
std::span<const StepRow> VariableSteps();
std::span<const StepRow> AttributeSteps();
std::span<const StepRow> OperatorSteps();
std::span<const StepRow> ContainerSteps();
std::span<const StepRow> UnpackingSteps();
std::span<const StepRow> StringSteps();
std::span<const StepRow> JumpSteps();
std::span<const StepRow> CallSteps();
std::span<const StepRow> DefinitionSteps();
std::span<const StepRow> ImportSteps();
std::span<const StepRow> ExceptionSteps();

}  // namespace dynacc
