// Rules of elementwise ops (gradient_rules.h): each is its row's formula in gradients.def.
#include <numbers>
#include <optional>

#include "codegen/autodiff/gradient_rules.h"

namespace dynacc::autodiff {

Value NegativeGradient(Value g, Value, Value) { return -g; }
Value PositiveGradient(Value g, Value, Value) { return g; }

Value AbsoluteGradient(Value g, Value x, Value y) {
  if (!IsComplex(x.dtype())) return g * x.Apply(Op::kSign);
  const Value length = Select(IsZero(y), 1.0, y);  // x is 0 there, and so is the quotient
  return g.To(x.dtype()) * (x.Apply(Op::kConjugate) / length.To(x.dtype()));
}

Value FabsGradient(Value g, Value x, Value) { return g * x.Apply(Op::kSign); }
Value SqrtGradient(Value g, Value, Value y) { return g / (2.0 * y); }
Value SquareGradient(Value g, Value x, Value) { return g * (2.0 * x); }
Value ReciprocalGradient(Value g, Value, Value y) { return -(g * (y * y)); }

// They scale, so they scale cotangents as well.
Value DegreesGradient(Value g, Value, Value) { return g.Apply(Op::kDegrees); }
Value RadiansGradient(Value g, Value, Value) { return g.Apply(Op::kRadians); }
Value Rad2DegGradient(Value g, Value, Value) { return g.Apply(Op::kRad2Deg); }
Value Deg2RadGradient(Value g, Value, Value) { return g.Apply(Op::kDeg2Rad); }

Value ConjugateGradient(Value g, Value, Value) { return g.Apply(Op::kConjugate); }
Value RealGradient(Value g, Value x, Value) { return g.To(x.dtype()); }
Value ImagGradient(Value g, Value x, Value) { return x.Number(0.0, -1.0) * g.To(x.dtype()); }

// A cotangent leaves a region of the program where its values enter it.
Value CheckpointGradient(Value g, Value, Value) { return g.Apply(Op::kEndCheckpoint); }
Value EndCheckpointGradient(Value g, Value, Value) { return g.Apply(Op::kCheckpoint); }

Value ExpGradient(Value g, Value, Value y) { return g * y; }
Value Exp2Gradient(Value g, Value, Value y) { return g * (std::numbers::ln2 * y); }
Value Expm1Gradient(Value g, Value, Value y) { return g * (1.0 + y); }
Value LogGradient(Value g, Value x, Value) { return g / x; }
Value Log2Gradient(Value g, Value x, Value) { return g / (std::numbers::ln2 * x); }
Value Log10Gradient(Value g, Value x, Value) { return g / (std::numbers::ln10 * x); }
Value Log1pGradient(Value g, Value x, Value) { return g / (1.0 + x); }
Value SinGradient(Value g, Value x, Value) { return g * x.Apply(Op::kCos); }
Value CosGradient(Value g, Value x, Value) { return -(g * x.Apply(Op::kSin)); }
Value TanGradient(Value g, Value, Value y) { return g * (1.0 + y * y); }

// 1 - x * x would lose what x has more than 1 has not.
static Value OneMinusSquare(Value x) { return (1.0 - x) * (1.0 + x); }

Value ArcsinGradient(Value g, Value x, Value) { return g / OneMinusSquare(x).Apply(Op::kSqrt); }
Value ArccosGradient(Value g, Value x, Value) { return -(g / OneMinusSquare(x).Apply(Op::kSqrt)); }
Value ArctanGradient(Value g, Value x, Value) { return g / (1.0 + x * x); }
Value SinhGradient(Value g, Value x, Value) { return g * x.Apply(Op::kCosh); }
Value CoshGradient(Value g, Value x, Value) { return g * x.Apply(Op::kSinh); }
Value TanhGradient(Value g, Value, Value y) { return g * OneMinusSquare(y); }
Value ArcsinhGradient(Value g, Value x, Value) { return g / (1.0 + x * x).Apply(Op::kSqrt); }

// The product of two roots: the root of the product has another sign for half of the complex plane.
Value ArccoshGradient(Value g, Value x, Value) {
  return g / ((x - 1.0).Apply(Op::kSqrt) * (1.0 + x).Apply(Op::kSqrt));
}
Value ArctanhGradient(Value g, Value x, Value) { return g / OneMinusSquare(x); }
Value CbrtGradient(Value g, Value, Value y) { return g / (3.0 * (y * y)); }

BinaryCotangents AddGradient(Value g, Value, Value, Value) { return {g, g}; }
BinaryCotangents SubtractGradient(Value g, Value, Value, Value) { return {g, -g}; }
BinaryCotangents MultiplyGradient(Value g, Value a, Value b, Value) { return {g * b, g * a}; }
BinaryCotangents MultiplyFusedGradient(Value g, Value a, Value b, Value) { return {g * b, g * a}; }
BinaryCotangents DivideGradient(Value g, Value, Value b, Value y) {
  const Value quotient = g / b;
  return {quotient, -(quotient * y)};
}

// `g` to the operand that wins, half of it to each where both or neither does.
static BinaryCotangents ShareBetween(Value g, Value a_wins, Value b_wins) {
  const Value half = Select(Equal(a_wins, b_wins), 0.5 * g, 0.0);
  return {Select(And(a_wins, Not(b_wins)), g, half), Select(And(b_wins, Not(a_wins)), g, half)};
}

BinaryCotangents MaximumGradient(Value g, Value a, Value b, Value) {
  return ShareBetween(g, a.Apply(Op::kGreater, b), a.Apply(Op::kLess, b));
}
BinaryCotangents MinimumGradient(Value g, Value a, Value b, Value) {
  return ShareBetween(g, a.Apply(Op::kLess, b), a.Apply(Op::kGreater, b));
}
BinaryCotangents FmaxGradient(Value g, Value a, Value b, Value) {
  return ShareBetween(g, Or(a.Apply(Op::kGreater, b), b.Apply(Op::kIsNan)),
                      Or(a.Apply(Op::kLess, b), a.Apply(Op::kIsNan)));
}
BinaryCotangents FminGradient(Value g, Value a, Value b, Value) {
  return ShareBetween(g, Or(a.Apply(Op::kLess, b), b.Apply(Op::kIsNan)),
                      Or(a.Apply(Op::kGreater, b), a.Apply(Op::kIsNan)));
}

BinaryCotangents CopysignGradient(Value g, Value a, Value b, Value) {
  const Value agree = Equal(a.Apply(Op::kSignBit), b.Apply(Op::kSignBit));
  return {Select(agree, g, -g), {}};
}

// The exponent is made safe where it has to be, and nowhere else: 0 * 0 ** -1 would be NaN, while
// the mixed second derivative at b = 0 is that of b * a ** (b - 1).
static Value PowerOfOneLess(Value a, Value b) {
  const std::optional<double> exponent = b.Constant();
  if (exponent == 0.0) return {};
  if (exponent == 2.0) return 2.0 * a;
  if (exponent.has_value()) return *exponent * a.Apply(Op::kPower, b.Number(*exponent - 1.0));
  const Value unsafe = And(IsZero(b), Or(IsZero(a), a.Apply(Op::kIsInf)));
  return b * a.Apply(Op::kPower, Select(unsafe, 0.0, b - 1.0));
}

BinaryCotangents PowerGradient(Value g, Value a, Value b, Value y) {
  const Value of_base = PowerOfOneLess(a, b);
  const Value base = Select(IsZero(a), 1.0, a);
  return {of_base ? g * of_base : Value(), g * (base.Apply(Op::kLog) * y)};
}
BinaryCotangents FloatPowerGradient(Value g, Value a, Value b, Value y) {
  return PowerGradient(g, a, b, y);
}

BinaryCotangents RemainderGradient(Value g, Value a, Value b, Value) {
  return {g, -(g * a.Apply(Op::kFloorDivide, b))};
}
// The quotient of what is left after the remainder is an int but for its last digits.
BinaryCotangents FmodGradient(Value g, Value a, Value b, Value y) {
  return {g, -(g * ((a - y) / b).Apply(Op::kRint))};
}

BinaryCotangents Arctan2Gradient(Value g, Value a, Value b, Value) {
  const Value square = a * a + b * b;
  return {g * (b / square), -(g * (a / square))};
}
BinaryCotangents HypotGradient(Value g, Value a, Value b, Value y) {
  const Value length = Select(IsZero(y), 1.0, y);
  return {g * (a / length), g * (b / length)};
}

// By how much the operand is less than the result: equal infinities differ by 0.
static Value Below(Value x, Value y) {
  return Select(And(y.Apply(Op::kIsInf), Equal(x, y)), 0.0, x - y);
}

BinaryCotangents LogaddexpGradient(Value g, Value a, Value b, Value y) {
  return {g * Below(a, y).Apply(Op::kExp), g * Below(b, y).Apply(Op::kExp)};
}
BinaryCotangents Logaddexp2Gradient(Value g, Value a, Value b, Value y) {
  return {g * Below(a, y).Apply(Op::kExp2), g * Below(b, y).Apply(Op::kExp2)};
}

BinaryCotangents NextafterGradient(Value g, Value, Value, Value) { return {g, {}}; }
BinaryCotangents HeavisideGradient(Value g, Value a, Value, Value) {
  return {{}, Select(IsZero(a), g, 0.0)};
}

}  // namespace dynacc::autodiff
