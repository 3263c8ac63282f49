#include "frontend/numpy/trace/operators.h"

#include "frontend/cpython/opcodes.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/array_power.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/in_place.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/matmul.h"
#include "frontend/numpy/trace/number_calls.h"
#include "frontend/symbolic/binary_operator.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

constexpr std::pair<int, Op> kComparisons[] = {
    {Py_LT, Op::kLess},     {Py_LE, Op::kLessEqual}, {Py_EQ, Op::kEqual},
    {Py_NE, Op::kNotEqual}, {Py_GT, Op::kGreater},   {Py_GE, Op::kGreaterEqual},
};

struct UnaryRow {
  int opcode;
  Op op;
  const char* differs_on_ints;  // the name in `operator`, if NumPy's ints have code of their own
};

constexpr UnaryRow kUnaryOperators[] = {
    {UNARY_NEGATIVE, Op::kNegative, "neg"},
    {UNARY_POSITIVE, Op::kPositive, "pos"},
    {UNARY_INVERT, Op::kInvert, nullptr},
};

// Whether scalar arithmetic on such operands does what the ufunc does.
bool SameOnScalars(symbolic::ScalarMath scalars, DType a, DType b) {
  const bool of_ints = (IsInteger(a) || IsInteger(b)) && !IsInexact(a) && !IsInexact(b);
  return scalars == symbolic::ScalarMath::kSame ||
         (scalars == symbolic::ScalarMath::kFloats && !of_ints);
}

// numpy.float64 is a Python float, so that complex itself deals with one on its right, and the
// result is no NumPy scalar.
absl::Status RefusePythonComplex(symbolic::Value* a, symbolic::Value* b) {
  const auto* left = symbolic::As<symbolic::ConstantValue>(a);
  const auto* right = symbolic::As<symbolic::TensorValue>(b);
  const bool refused = left != nullptr && PyComplex_CheckExact(left->object.get()) &&
                       right != nullptr && right->is_scalar &&
                       right->node->dtype == DType::kFloat64;
  return refused ? symbolic::GraphBreak("a Python complex number and a float64 scalar")
                 : absl::OkStatus();
}

absl::StatusOr<NumpyTensor*> Operate(symbolic::TraceContext& trace,
                                     const symbolic::BinaryOperator& row, symbolic::Value* a,
                                     symbolic::Value* b) {
  DYNACC_ASSIGN_OR_RETURN(const Operand left, MakeOperand(trace, a));
  DYNACC_ASSIGN_OR_RETURN(const Operand right, MakeOperand(trace, b));
  if (left.is_plain_scalar() && right.is_plain_scalar() &&
      !SameOnScalars(row.scalar_math, left.dtype, right.dtype)) {
    return symbolic::GraphBreak("arithmetic of NumPy scalars that differs from arrays'");
  }
  return Elementwise(trace, *row.ufunc, {left, right});
}

absl::StatusOr<NumpyTensor*> OutOfPlace(symbolic::TraceContext& trace, int nb_op,
                                        symbolic::Value* a, symbolic::Value* b) {
  DYNACC_RETURN_IF_ERROR(RefusePythonComplex(a, b));
  if (nb_op == NB_POWER) return ArrayPower(trace, a, b);
  if (nb_op == NB_MATRIX_MULTIPLY) return NumpyMatmul(trace, a, b);
  return Operate(trace, symbolic::OperatorOf(nb_op), a, b);
}

// Arithmetic of scalars by NumPy's own operator, at its place in the graph.
absl::StatusOr<symbolic::Value*> OnScalars(symbolic::TraceContext& trace, const char* name,
                                           absl::Span<symbolic::Value* const> operands) {
  const Ref function = symbolic::OperatorFunction(name);
  if (!function) return symbolic::GraphBreak("an operator that arrays do not have");
  return CallFunctionOnNumbers(trace, function.get(), operands);
}

bool IsArrayValue(symbolic::Value* value) {
  auto* tensor = symbolic::As<symbolic::TensorValue>(value);
  return tensor != nullptr && !tensor->is_scalar;
}

bool IsIntScalar(const symbolic::TensorValue* tensor) {
  return tensor->is_scalar && IsInteger(tensor->node->dtype);
}

}  // namespace

absl::StatusOr<symbolic::Value*> BinaryByNumpy(symbolic::TraceContext& trace, int nb_op,
                                               bool in_place, symbolic::Value* a,
                                               symbolic::Value* b) {
  if (in_place && IsArrayValue(a)) return symbolic::GraphBreak("an update in place");
  // NumPy asks the exponent for an index: a bool scalar warns, at the line where it stands.
  if (nb_op == NB_POWER && symbolic::IsBoolScalar(b))
    return symbolic::GraphBreak("a power with a bool scalar");
  const char* const name = symbolic::OperatorOf(nb_op).name;
  symbolic::Value* const operands[] = {a, b};
  if (!IsArrayValue(a) && !IsArrayValue(b)) return OnScalars(trace, name, operands);
  const Ref function = symbolic::OperatorFunction(name);
  if (!function) return symbolic::GraphBreak("an operator that arrays do not have");
  const arrays::CallArgs args{operands, {}};
  if (nb_op != NB_MATRIX_MULTIPLY) return CallElementwiseLibrary(trace, function.get(), args);
  static constexpr NumpyLibraryCallRow kMatmul = {"matmul", MatrixProduct, "x1 x2"};
  return CallLibraryRow(trace, kMatmul, function.get(), nullptr, args);
}

absl::StatusOr<symbolic::Value*> NumpyBinary(symbolic::TraceContext& trace, int nb_op,
                                             bool in_place, symbolic::Value* a,
                                             symbolic::Value* b) {
  auto* target = symbolic::As<symbolic::TensorValue>(a);
  // NumPy scalars and numbers have no in-place operators: the plain one makes a fresh result.
  if (!in_place || target == nullptr || target->is_scalar) {
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, OutOfPlace(trace, nb_op, a, b));
    return result;
  }
  if (nb_op == NB_MATRIX_MULTIPLY) return symbolic::GraphBreak("in-place matrix product");
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, OutOfPlace(trace, nb_op, a, b));
  DYNACC_RETURN_IF_ERROR(UpdateInPlace(trace, AsNumpy(target), result));
  return target;
}

absl::StatusOr<symbolic::Value*> NumpyCompare(symbolic::TraceContext& trace, int compare_op,
                                              symbolic::Value* a, symbolic::Value* b) {
  DYNACC_RETURN_IF_ERROR(RefusePythonComplex(a, b));
  for (const auto& [python, op] : kComparisons) {
    if (python != compare_op) continue;
    DYNACC_ASSIGN_OR_RETURN(const Operand left, MakeOperand(trace, a));
    DYNACC_ASSIGN_OR_RETURN(const Operand right, MakeOperand(trace, b));
    // Which of two complex scalars is less their parts say one after the other, whatever is NaN.
    const bool is_complex = IsComplex(left.dtype) || IsComplex(right.dtype);
    if (is_complex && left.is_plain_scalar() && right.is_plain_scalar() && compare_op != Py_EQ &&
        compare_op != Py_NE) {
      return symbolic::GraphBreak("a comparison of complex NumPy scalars");
    }
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, Elementwise(trace, op, {left, right}));
    return result;
  }
  return symbolic::GraphBreak("a comparison that arrays do not have");
}

absl::StatusOr<symbolic::Value*> CompareByNumpy(symbolic::TraceContext& trace, int compare_op,
                                                symbolic::Value* a, symbolic::Value* b) {
  static constexpr const char* kNames[] = {"lt", "le", "eq", "ne", "gt", "ge"};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  const bool are_tensors = symbolic::As<symbolic::TensorValue>(a) != nullptr &&
                           symbolic::As<symbolic::TensorValue>(b) != nullptr;
  if (!are_tensors || (!IsArrayValue(a) && !IsArrayValue(b))) {
    return symbolic::GraphBreak("a comparison that arrays do not have");
  }
  const Ref function = symbolic::OperatorFunction(kNames[compare_op]);
  if (!function) return symbolic::GraphBreak("a comparison that arrays do not have");
  symbolic::Value* const operands[] = {a, b};
  return CallElementwiseLibrary(trace, function.get(), arrays::CallArgs{operands, {}});
}

absl::StatusOr<symbolic::Value*> NumpyUnary(symbolic::TraceContext& trace, int opcode,
                                            symbolic::TensorValue* a) {
  symbolic::Value* const operand = a;
  for (const UnaryRow& row : kUnaryOperators) {
    if (row.opcode != opcode) continue;
    if (IsIntScalar(a) && row.differs_on_ints != nullptr) {
      return OnScalars(trace, row.differs_on_ints, {operand});
    }
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, Elementwise(trace, row.op, {operand}));
    return result;
  }
  return symbolic::GraphBreak("an operator that arrays do not have");
}

absl::StatusOr<symbolic::Value*> NumpyAbsolute(symbolic::TraceContext& trace,
                                               symbolic::TensorValue* a) {
  symbolic::Value* const operand = a;
  // Of a complex scalar NumPy takes the C library's hypot, its loop for arrays perhaps another way.
  const bool is_complex_scalar = a->is_scalar && IsComplex(a->node->dtype);
  if (IsIntScalar(a) || is_complex_scalar) return OnScalars(trace, "abs", {operand});
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, Elementwise(trace, Op::kAbsolute, {operand}));
  return result;
}

}  // namespace dynacc::numpy
