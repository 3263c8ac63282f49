#include "frontend/arrays/numpy/operators.h"

#include <opcode.h>

#include "frontend/arrays/numpy/array_power.h"
#include "frontend/arrays/numpy/dtypes.h"
#include "frontend/arrays/numpy/elementwise.h"
#include "frontend/arrays/numpy/in_place.h"
#include "frontend/arrays/numpy/matmul.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

enum class Scalars { kSame, kFloats, kNone };

struct OperatorRow {
  int nb_op;
  Op op;
  Scalars scalars;
};

constexpr OperatorRow kOperators[] = {
#define DYNACC_NUMPY_OPERATOR(nb, op, scalars) {NB_##nb, Op::k##op, Scalars::k##scalars},
#include "frontend/arrays/numpy/operators.def"
#undef DYNACC_NUMPY_OPERATOR
};

constexpr std::pair<int, Op> kComparisons[] = {
    {Py_LT, Op::kLess},     {Py_LE, Op::kLessEqual}, {Py_EQ, Op::kEqual},
    {Py_NE, Op::kNotEqual}, {Py_GT, Op::kGreater},   {Py_GE, Op::kGreaterEqual},
};

constexpr std::pair<int, Op> kUnaryOperators[] = {
    {UNARY_NEGATIVE, Op::kNegative},
    {UNARY_POSITIVE, Op::kPositive},
    {UNARY_INVERT, Op::kInvert},
};

// Whether scalar arithmetic on operands of that result does what the ufunc does.
bool SameOnScalars(Scalars scalars, DType result) {
  if (scalars == Scalars::kFloats) return !IsInteger(result);
  return scalars == Scalars::kSame;
}

absl::StatusOr<NumpyTensor*> Operate(TraceContext& trace, const OperatorRow& row, Value* a,
                                     Value* b) {
  DYNACC_ASSIGN_OR_RETURN(const Operand left, MakeOperand(trace, a));
  DYNACC_ASSIGN_OR_RETURN(const Operand right, MakeOperand(trace, b));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, Elementwise(trace, row.op, {left, right}));
  if (left.is_plain_scalar() && right.is_plain_scalar() &&
      !SameOnScalars(row.scalars, result->node->dtype)) {
    return GraphBreak("arithmetic of NumPy scalars that differs from arrays'");
  }
  return result;
}

absl::StatusOr<NumpyTensor*> OutOfPlace(TraceContext& trace, int nb_op, Value* a, Value* b) {
  if (nb_op == NB_POWER) return ArrayPower(trace, a, b);
  if (nb_op == NB_MATRIX_MULTIPLY) return NumpyMatmul(trace, a, b);
  for (const OperatorRow& row : kOperators) {
    if (row.nb_op == nb_op) return Operate(trace, row, a, b);
  }
  return GraphBreak("an operator that arrays do not have");
}

}  // namespace

absl::StatusOr<Value*> NumpyBinary(TraceContext& trace, int nb_op, bool in_place, Value* a,
                                   Value* b) {
  auto* target = As<TensorValue>(a);
  // NumPy scalars and numbers have no in-place operators: the plain one makes a fresh result.
  if (!in_place || target == nullptr || target->is_scalar) {
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, OutOfPlace(trace, nb_op, a, b));
    return result;
  }
  DYNACC_RETURN_IF_ERROR(CheckUpdatable(target));
  if (nb_op == NB_MATRIX_MULTIPLY) return GraphBreak("in-place matrix product");
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, OutOfPlace(trace, nb_op, a, b));
  DYNACC_RETURN_IF_ERROR(UpdateInPlace(trace, AsNumpy(target), result));
  return target;
}

absl::StatusOr<Value*> NumpyCompare(TraceContext& trace, int compare_op, Value* a, Value* b) {
  for (const auto& [python, op] : kComparisons) {
    if (python != compare_op) continue;
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, Elementwise(trace, op, {a, b}));
    return result;
  }
  return GraphBreak("a comparison that arrays do not have");
}

absl::StatusOr<Value*> NumpyUnary(TraceContext& trace, int opcode, TensorValue* a) {
  for (const auto& [python, op] : kUnaryOperators) {
    if (python != opcode) continue;
    if (a->is_scalar && IsInteger(a->node->dtype) && op != Op::kInvert) {
      return GraphBreak("arithmetic of NumPy scalars that differs from arrays'");
    }
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, Elementwise(trace, op, {static_cast<Value*>(a)}));
    return result;
  }
  return GraphBreak("an operator that arrays do not have");
}

absl::StatusOr<Value*> NumpyAbsolute(TraceContext& trace, TensorValue* a) {
  if (a->is_scalar && IsInteger(a->node->dtype)) {
    return GraphBreak("arithmetic of NumPy scalars that differs from arrays'");
  }
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result,
                          Elementwise(trace, Op::kAbsolute, {static_cast<Value*>(a)}));
  return result;
}

}  // namespace dynacc
