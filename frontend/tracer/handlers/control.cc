// Handlers of jumps and returns.

#include "frontend/cpython/opcodes.h"
#include "frontend/tracer/both_sides.h"
#include "frontend/tracer/handlers/handlers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

absl::Status JumpIf(Tracer& tracer, const bytecode::Instruction& instruction, bool condition) {
  if (!condition) return absl::OkStatus();
  if (instruction.target <= instruction.start)
    return tracer.JumpBack(instruction.target, instruction.start);
  tracer.Jump(instruction.target);
  return absl::OkStatus();
}

absl::Status PopJumpIf(Tracer& tracer, const bytecode::Instruction& instruction, bool wanted) {
  symbolic::Value* const value = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * computed,
                          DataDependentCondition(tracer, value, instruction.start));
  if (computed != nullptr) return TraceBothSides(tracer, instruction, computed, wanted);
  DYNACC_ASSIGN_OR_RETURN(const bool truth, tracer.Truth(value));
  return JumpIf(tracer, instruction, truth == wanted);
}

absl::StatusOr<bool> IsNone(Tracer& tracer, symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value))
    return constant->object.get() == Py_None;
  if (auto* object = symbolic::As<symbolic::ObjectValue>(value)) {
    tracer.trace().AddGuard(guards::GuardKind::kTypeIs, object->source(),
                            reinterpret_cast<PyObject*>(Py_TYPE(object->object.get())));
  }
  return false;
}

}  // namespace

namespace handlers {

absl::Status JumpForward(Tracer& tracer, const bytecode::Instruction& instruction) {
  tracer.Jump(instruction.target);
  return absl::OkStatus();
}

absl::Status JumpBackward(Tracer& tracer, const bytecode::Instruction& instruction) {
  return tracer.JumpBack(instruction.target, instruction.start);
}

absl::Status PopJumpIfTrue(Tracer& tracer, const bytecode::Instruction& instruction) {
  return PopJumpIf(tracer, instruction, true);
}

absl::Status PopJumpIfFalse(Tracer& tracer, const bytecode::Instruction& instruction) {
  return PopJumpIf(tracer, instruction, false);
}

absl::Status PopJumpIfNone(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(const bool none, IsNone(tracer, tracer.Pop()));
  return JumpIf(tracer, instruction, none);
}

absl::Status PopJumpIfNotNone(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(const bool none, IsNone(tracer, tracer.Pop()));
  return JumpIf(tracer, instruction, !none);
}

absl::Status JumpIfTrueOrPop(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(const bool truth, tracer.Truth(tracer.Peek(0)));
  if (truth) {
    tracer.Jump(instruction.target);
  } else {
    tracer.Pop();
  }
  return absl::OkStatus();
}

absl::Status JumpIfFalseOrPop(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(const bool truth, tracer.Truth(tracer.Peek(0)));
  if (!truth) {
    tracer.Jump(instruction.target);
  } else {
    tracer.Pop();
  }
  return absl::OkStatus();
}

absl::Status ReturnConst(Tracer& tracer, const bytecode::Instruction& instruction) {
  tracer.Return(
      tracer.Constant(PyTuple_GET_ITEM(tracer.frame().raw_code()->co_consts, instruction.arg)));
  return absl::OkStatus();
}

absl::Status ReturnValue(Tracer& tracer, const bytecode::Instruction&) {
  tracer.Return(tracer.Pop());
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc::tracer
