// Steps of unary, binary and comparison operators, and the simple tests of `match`.
#include <atomic>

#include "frontend/fallback/step.h"
#include "frontend/fallback/step_interpreter.h"
#include "frontend/symbolic/binary_operator.h"

namespace dynacc::fallback {
namespace {

std::atomic<BinaryInTemporary> binary_in_temporary = nullptr;
std::atomic<UnaryInTemporary> unary_in_temporary = nullptr;

bool IsInTemporary(int nb_op, BorrowedRef left, BorrowedRef right, PyObject** result) {
  if (Py_REFCNT(left) != 1 && Py_REFCNT(right) != 1) return false;
  const BinaryInTemporary function = binary_in_temporary.load();
  return function != nullptr && function(nb_op, left, right, result);
}

bool IsInTemporary(int opcode, BorrowedRef operand, PyObject** result) {
  if (Py_REFCNT(operand) != 1) return false;
  const UnaryInTemporary function = unary_in_temporary.load();
  return function != nullptr && function(opcode, operand, result);
}

StepOutcome BinaryOp(Step& step) {
  Ref right = step.frame.Pop();
  Ref left = step.frame.Pop();
  PyObject* result = nullptr;
  if (IsInTemporary(step.arg(), left.get(), right.get(), &result)) return step.PushOrRaise(result);
  return step.PushOrRaise(symbolic::ApplyOperator(step.arg(), left.get(), right.get()));
}

template <unaryfunc kFunction, int kOpcode>
StepOutcome Unary(Step& step) {
  Ref operand = step.frame.Pop();
  PyObject* result = nullptr;
  if (IsInTemporary(kOpcode, operand.get(), &result)) return step.PushOrRaise(result);
  return step.PushOrRaise(kFunction(operand.get()));
}

StepOutcome PushBool(Step& step, bool value) {
  step.frame.Push(Ref::New(value ? Py_True : Py_False));
  return StepOutcome::kNext;
}

StepOutcome UnaryNot(Step& step) {
  Ref operand = step.frame.Pop();
  const int truth = PyObject_IsTrue(operand.get());
  return truth < 0 ? StepOutcome::kRaised : PushBool(step, truth == 0);
}

StepOutcome ToBool(Step& step) {
  Ref operand = step.frame.Pop();
  const int truth = PyObject_IsTrue(operand.get());
  return truth < 0 ? StepOutcome::kRaised : PushBool(step, truth != 0);
}

StepOutcome CompareOp(Step& step) {
  Ref right = step.frame.Pop();
  Ref left = step.frame.Pop();
  Ref result =
      Ref::Steal(PyObject_RichCompare(left.get(), right.get(), step.arg() & (kComparesToBool - 1)));
  if (!result || (step.arg() & kComparesToBool) == 0) return step.PushOrRaise(result.Release());
  const int truth = PyObject_IsTrue(result.get());
  return truth < 0 ? StepOutcome::kRaised : PushBool(step, truth != 0);
}

// The argument of IS_OP and CONTAINS_OP is 1 for the negated operator.
StepOutcome IsOp(Step& step) {
  Ref right = step.frame.Pop();
  Ref left = step.frame.Pop();
  return PushBool(step, (left.get() == right.get()) != (step.arg() != 0));
}

StepOutcome ContainsOp(Step& step) {
  Ref right = step.frame.Pop();
  Ref left = step.frame.Pop();
  const int contains = PySequence_Contains(right.get(), left.get());
  if (contains < 0) return StepOutcome::kRaised;
  return PushBool(step, (contains != 0) != (step.arg() != 0));
}

StepOutcome GetLen(Step& step) {
  const Py_ssize_t length = PyObject_Length(step.frame.Peek(0));
  return length < 0 ? StepOutcome::kRaised : step.PushOrRaise(PyLong_FromSsize_t(length));
}

template <unsigned long kTypeFlag>
StepOutcome MatchTypeFlag(Step& step) {
  return PushBool(step, PyType_HasFeature(Py_TYPE(step.frame.Peek(0)), kTypeFlag));
}

constexpr StepRow kRows[] = {
    {BINARY_OP, BinaryOp},
    {UNARY_POSITIVE, Unary<PyNumber_Positive, UNARY_POSITIVE>},
    {UNARY_NEGATIVE, Unary<PyNumber_Negative, UNARY_NEGATIVE>},
    {UNARY_INVERT, Unary<PyNumber_Invert, UNARY_INVERT>},
    {UNARY_NOT, UnaryNot},
    {TO_BOOL, ToBool},
    {COMPARE_OP, CompareOp},
    {IS_OP, IsOp},
    {CONTAINS_OP, ContainsOp},
    {GET_LEN, GetLen},
    {MATCH_MAPPING, MatchTypeFlag<Py_TPFLAGS_MAPPING>},
    {MATCH_SEQUENCE, MatchTypeFlag<Py_TPFLAGS_SEQUENCE>},
};

}  // namespace

void SetOperatorsInTemporary(BinaryInTemporary binary, UnaryInTemporary unary) {
  binary_in_temporary = binary;
  unary_in_temporary = unary;
}

absl::Span<const StepRow> OperatorSteps() { return kRows; }

}  // namespace dynacc::fallback
