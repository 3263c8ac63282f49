#include "frontend/numpy/trace/array_power.h"

#include <cmath>
#include <optional>

#include "frontend/numpy/trace/bit_exactness.h"
#include "frontend/numpy/trace/elementwise.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

enum class Exponent { kAny, kInt, kFloat };

struct FastPower {
  double exponent;
  Op op;
  bool floats_only;
  Exponent type = Exponent::kAny;  // of a Python number
};

// Exponent 0 is missing: NumPy then fills ones in the array's memory order.
constexpr FastPower kFastPowers[] = {
    {1.0, Op::kPositive, true},
    {-1.0, Op::kReciprocal, true},
    {0.5, Op::kSqrt, true},
    {2.0, Op::kSquare, false},
};

// The same where np.power has short cuts of its own, and those.
constexpr FastPower kFewFastPowers[] = {
    {-1.0, Op::kReciprocal, true, Exponent::kInt},
    {0.5, Op::kSqrt, true, Exponent::kFloat},
    {2.0, Op::kSquare, false, Exponent::kInt},
};
constexpr FastPower kShortCuts[] = {
    {-1.0, Op::kReciprocal, true},
    {0.5, Op::kSqrt, true},
    {1.0, Op::kPositive, true},
    {2.0, Op::kSquare, true},
};

// The exponent as NumPy's fast path reads it; nothing for a value that is not known, or no number.
std::optional<double> ExponentNow(const Operand& exponent) {
  if (exponent.number != nullptr) {
    const symbolic::NumberValue& number = *exponent.number;
    if (number.type == ScalarType::kBool) return std::nullopt;
    return number.type == ScalarType::kInt ? static_cast<double>(number.hint.i) : number.hint.f;
  }
  if (!exponent.object || PyBool_Check(exponent.object.get())) return std::nullopt;
  if (exponent.tensor != nullptr && exponent.tensor->source() != nullptr) return std::nullopt;
  if (IsComplex(exponent.dtype)) return std::nan("");  // is none of the fast exponents
  const double value = PyFloat_AsDouble(exponent.object.get());
  const bool failed = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  return failed ? std::nullopt : std::optional<double>(value);
}

// Whether a dynamic or constant exponent is `value`; required from then on.
bool IsExponent(symbolic::TraceContext& trace, const Operand& exponent, double now, double value) {
  if (exponent.number == nullptr) return now == value;
  const bool is_int = exponent.number->type == ScalarType::kInt;
  if (is_int && value != static_cast<int64_t>(value)) return false;
  ScalarProgram& scalars = trace.graph().scalars();
  const ScalarId wanted = is_int ? scalars.Int(static_cast<int64_t>(value)) : scalars.Float(value);
  const bool holds = now == value;
  trace.RequireTrue(
      scalars.Apply(holds ? ScalarOp::kEq : ScalarOp::kNe, exponent.number->id, wanted));
  return holds;
}

// x ** 2.0 of an integer array is the square in float64, of any other array in its own dtype. The
// former NumPy squares in place, in an array that it made: then rank 0 gives no scalar.
absl::StatusOr<NumpyTensor*> ApplyFast(symbolic::TraceContext& trace, const FastPower& fast,
                                       const Operand& base, const Operand& exponent) {
  if (!IsInteger(base.dtype) || !IsInexact(exponent.dtype)) {
    return Elementwise(trace, fast.op, {base});
  }
  // That array is in C order, or in Fortran's if the integers are contiguous so.
  if (base.shape.rank() > 1 && !RequireCOrder(trace, base.tensor) && !trace.has_free_orders()) {
    return symbolic::GraphBreak("the square of integers in another memory order");
  }
  const ir::Node* wide = trace.graph().Cast(DType::kFloat64, base.tensor->node);
  return NewTensor(trace, trace.graph().Unary(fast.op, wide), base.shape, base.tensor->c_order,
                   /*scalar_if_rank_0=*/false);
}

bool IsPythonInt(const Operand& exponent) {
  return exponent.number != nullptr ? exponent.number->type == ScalarType::kInt
                                    : PyLong_CheckExact(exponent.object.get());
}

bool IsOfType(const Operand& exponent, Exponent type) {
  return type == Exponent::kAny || (type == Exponent::kInt) == IsPythonInt(exponent);
}

absl::Span<const FastPower> FastPowers() {
  if (HasFastPowers()) return kFewFastPowers;
  return kFastPowers;
}

}  // namespace

absl::StatusOr<NumpyTensor*> ShortCutOfPower(symbolic::TraceContext& trace,
                                             absl::Span<const Operand> operands) {
  const Operand& base = operands[0];
  const Operand& exponent = operands[1];
  const bool is_real = base.dtype == DType::kFloat64 || base.dtype == DType::kFloat32;
  if (!is_real || exponent.is_array() || base.tensor == nullptr || exponent.tensor != nullptr) {
    return symbolic::GraphBreak(
        "a power that NumPy computes in a way that depends on the exponents");
  }
  const std::optional<double> now = ExponentNow(exponent);
  if (!now) return symbolic::GraphBreak("power with an exponent that is not known");
  const bool takes_all = HasFastPowers();
  if (takes_all && IsExponent(trace, exponent, *now, 0.0))
    return symbolic::GraphBreak("power with exponent 0");
  for (const FastPower& cut : kShortCuts) {
    if (!takes_all && cut.op != Op::kSquare) continue;
    if (IsExponent(trace, exponent, *now, cut.exponent)) {
      return Elementwise(trace, cut.op, absl::Span<const Operand>(&base, 1));
    }
  }
  return nullptr;
}

absl::StatusOr<NumpyTensor*> ArrayPower(symbolic::TraceContext& trace, symbolic::Value* a,
                                        symbolic::Value* b) {
  DYNACC_ASSIGN_OR_RETURN(const Operand base, MakeOperand(trace, a));
  DYNACC_ASSIGN_OR_RETURN(const Operand exponent, MakeOperand(trace, b));
  if (base.is_plain_scalar() && exponent.is_plain_scalar()) {
    return symbolic::GraphBreak("power of NumPy scalars");
  }
  // Where np.power has short cuts only Python's numbers are looked at, and not for exponent 0.
  const bool is_looked_at = !HasFastPowers() || exponent.tensor == nullptr;
  if (!base.is_plain_scalar() && !exponent.is_array() && is_looked_at) {
    const std::optional<double> now = ExponentNow(exponent);
    if (!now) return symbolic::GraphBreak("power with an exponent that is not known");
    if (IsExponent(trace, exponent, *now, 0.0))
      return symbolic::GraphBreak("power with exponent 0");
    for (const FastPower& fast : FastPowers()) {
      if (fast.floats_only && !IsInexact(base.dtype)) continue;
      if (!IsOfType(exponent, fast.type)) continue;
      if (IsExponent(trace, exponent, *now, fast.exponent)) {
        return ApplyFast(trace, fast, base, exponent);
      }
    }
  }
  return Elementwise(trace, Op::kPower, {base, exponent});
}

}  // namespace dynacc::numpy
