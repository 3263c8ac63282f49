// Handlers of operators: arithmetic, comparisons, identity, membership, items.
#include "frontend/tracer/operators.h"

#include "frontend/cpython/opcodes.h"
#include "frontend/tracer/both_sides.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/temporaries.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer::handlers {
namespace {

symbolic::Value* PopSlice(Tracer& tracer) {
  symbolic::Value* stop = tracer.Pop();
  symbolic::Value* start = tracer.Pop();
  return tracer.trace().New<symbolic::SliceValue>(start, stop, tracer.None());
}

}  // namespace

absl::Status BinaryOp(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* b = tracer.Pop();
  symbolic::Value* a = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(a, tracer.Materialize(a));
  DYNACC_ASSIGN_OR_RETURN(b, tracer.Materialize(b));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result, BinaryOperation(tracer, instruction.arg, a, b));
  DYNACC_RETURN_IF_ERROR(PlaceInTemporary(tracer, instruction, a, b, result));
  tracer.Push(result);
  return absl::OkStatus();
}

absl::Status Unary(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * operand, tracer.Materialize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                          UnaryOperation(tracer, instruction.opcode, operand));
  if (instruction.opcode != UNARY_POSITIVE) {
    DYNACC_RETURN_IF_ERROR(PlaceInTemporary(tracer, instruction, operand, nullptr, result));
  }
  tracer.Push(result);
  return absl::OkStatus();
}

absl::Status UnaryNot(Tracer& tracer, const bytecode::Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(const bool truth, tracer.Truth(tracer.Pop()));
  tracer.Push(tracer.Constant(truth ? Py_False : Py_True));
  return absl::OkStatus();
}

absl::Status ToBool(Tracer& tracer, const bytecode::Instruction&) {
  const bytecode::Instruction& next = tracer.frame().code->At(tracer.frame().pc);
  if (next.opcode == POP_JUMP_IF_TRUE || next.opcode == POP_JUMP_IF_FALSE) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * computed,
                            DataDependentCondition(tracer, tracer.Peek(0), next.start));
    const bool is_awaited =
        !tracer.open_branches().empty() && tracer.open_branches().back().awaits == next.start;
    if (computed != nullptr && is_awaited) return absl::OkStatus();
    if (computed != nullptr) {  // the jump takes a bool, which this is not yet: both at once
      tracer.Pop();
      return TraceBothSides(tracer, next, computed, next.opcode == POP_JUMP_IF_TRUE);
    }
  }
  DYNACC_ASSIGN_OR_RETURN(const bool truth, tracer.Truth(tracer.Pop()));
  tracer.Push(tracer.Constant(truth ? Py_True : Py_False));
  return absl::OkStatus();
}

absl::Status CompareOp(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* b = tracer.Pop();
  symbolic::Value* a = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(a, tracer.Materialize(a));
  DYNACC_ASSIGN_OR_RETURN(b, tracer.Materialize(b));
  const int comparison = instruction.arg & (kComparesToBool - 1);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result, CompareValues(tracer, comparison, a, b));
  tracer.Push(result);
  const bool to_bool = (instruction.arg & kComparesToBool) != 0;
  return to_bool ? ToBool(tracer, instruction) : absl::OkStatus();
}

absl::Status IsOp(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* b = tracer.Pop();
  symbolic::Value* a = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(const bool same, SameObject(tracer, a, b));
  tracer.Push(tracer.Constant(same != (instruction.arg == 1) ? Py_True : Py_False));
  return absl::OkStatus();
}

absl::Status ContainsOp(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* container = tracer.Pop();
  symbolic::Value* item = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(const bool found, ContainedIn(tracer, item, container));
  tracer.Push(tracer.Constant(found != (instruction.arg == 1) ? Py_True : Py_False));
  return absl::OkStatus();
}

absl::Status BinarySubscr(Tracer& tracer, const bytecode::Instruction&) {
  symbolic::Value* key = tracer.Pop();
  symbolic::Value* container = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, Subscript(tracer, container, key));
  tracer.Push(item);
  return absl::OkStatus();
}

absl::Status StoreSubscr(Tracer& tracer, const bytecode::Instruction&) {
  symbolic::Value* key = tracer.Pop();
  symbolic::Value* container = tracer.Pop();
  return StoreSubscript(tracer, container, key, tracer.Pop());
}

absl::Status BinarySlice(Tracer& tracer, const bytecode::Instruction&) {
  symbolic::Value* slice = PopSlice(tracer);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, Subscript(tracer, tracer.Pop(), slice));
  tracer.Push(item);
  return absl::OkStatus();
}

absl::Status StoreSlice(Tracer& tracer, const bytecode::Instruction&) {
  symbolic::Value* slice = PopSlice(tracer);
  symbolic::Value* container = tracer.Pop();
  return StoreSubscript(tracer, container, slice, tracer.Pop());
}

absl::Status DeleteSubscr(Tracer& tracer, const bytecode::Instruction&) {
  symbolic::Value* key = tracer.Pop();
  return DeleteSubscript(tracer, tracer.Pop(), key);
}

}  // namespace dynacc::tracer::handlers
