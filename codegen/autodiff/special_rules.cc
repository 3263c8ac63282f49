// Rules of scipy.special's functions (special_gradients.def), each its row's formula.
#include <cmath>
#include <numbers>

#include "codegen/autodiff/gradient_rules.h"
#include "runtime/base/check.h"

namespace dynacc::autodiff {
namespace {

constexpr double kTwoBySqrtPi = 2.0 * std::numbers::inv_sqrtpi;

Value Exp(Value x) { return x.Apply(Op::kExp); }
Value Log(Value x) { return x.Apply(Op::kLog); }

// Another function of scipy.special, which whoever registered this one registered with it.
Value Special(const char* text, Value x) {
  const std::optional<Op> op = ParseOp(text);
  DYNACC_CHECK(op.has_value()) << text << " is not registered";
  return x.Apply(*op);
}

// The cotangent of the second operand of a product that is 0 where `a` is, whatever `b` is.
Value Ratio(Value g, Value a, Value b) { return Select(IsZero(a), 0.0, g * (a / b)); }

}  // namespace

Value SpecialErfGradient(Value g, Value x, Value) { return g * (kTwoBySqrtPi * Exp(-(x * x))); }
Value SpecialErfcGradient(Value g, Value x, Value y) { return -SpecialErfGradient(g, x, y); }
Value SpecialErfcxGradient(Value g, Value x, Value y) {
  return g * ((2.0 * (x * y)) - kTwoBySqrtPi);
}
Value SpecialErfinvGradient(Value g, Value, Value y) {
  return g * (1.0 / kTwoBySqrtPi * Exp(y * y));
}
Value SpecialErfcinvGradient(Value g, Value x, Value y) { return -SpecialErfinvGradient(g, x, y); }
Value SpecialNdtrGradient(Value g, Value x, Value) {
  return g * (std::sqrt(0.5) * std::numbers::inv_sqrtpi * Exp(-0.5 * (x * x)));
}
Value SpecialNdtriGradient(Value g, Value, Value y) {
  return g * (std::sqrt(2.0 * std::numbers::pi) * Exp(0.5 * (y * y)));
}
Value SpecialExpitGradient(Value g, Value, Value y) { return g * (y * (1.0 - y)); }
Value SpecialLogExpitGradient(Value g, Value x, Value) { return g / (1.0 + Exp(x)); }
Value SpecialLogitGradient(Value g, Value x, Value) { return g / (x * (1.0 - x)); }
Value SpecialExp2Gradient(Value g, Value, Value y) { return g * (std::numbers::ln2 * y); }
Value SpecialExp10Gradient(Value g, Value, Value y) { return g * (std::numbers::ln10 * y); }
Value SpecialExpm1Gradient(Value g, Value, Value y) { return g * (1.0 + y); }
Value SpecialLog1pGradient(Value g, Value x, Value) { return g / (1.0 + x); }
Value SpecialCbrtGradient(Value g, Value, Value y) { return g / (3.0 * (y * y)); }
Value SpecialEntrGradient(Value g, Value x, Value) { return -(g * (1.0 + Log(x))); }
Value SpecialGammaGradient(Value g, Value x, Value y) {
  return g * (y * Special("scipy.special.psi", x));
}
Value SpecialGammalnGradient(Value g, Value x, Value) {
  return g * Special("scipy.special.psi", x);
}
Value SpecialI0Gradient(Value g, Value x, Value) { return g * Special("scipy.special.i1", x); }
Value SpecialJ0Gradient(Value g, Value x, Value) { return -(g * Special("scipy.special.j1", x)); }
Value SpecialY0Gradient(Value g, Value x, Value) { return -(g * Special("scipy.special.y1", x)); }
BinaryCotangents SpecialXlogyGradient(Value g, Value a, Value b, Value) {
  return {g * Log(b), Ratio(g, a, b)};
}
BinaryCotangents SpecialXlog1pyGradient(Value g, Value a, Value b, Value) {
  return {g * b.Apply(Op::kLog1p), Ratio(g, a, 1.0 + b)};
}

}  // namespace dynacc::autodiff
