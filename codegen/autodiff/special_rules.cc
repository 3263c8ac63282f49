// Rules of scipy.special's functions (special_gradients.def), each its row's formula.
#include <cmath>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "codegen/autodiff/gradient_rules.h"
#include "runtime/base/check.h"

namespace dynacc::autodiff {
namespace {

constexpr double kTwoBySqrtPi = 2.0 * std::numbers::inv_sqrtpi;

Value Exp(Value x) { return x.Apply(Op::kExp); }
Value Log(Value x) { return x.Apply(Op::kLog); }
Value Sign(Value x) { return x.Apply(Op::kSign); }

// Another function of scipy.special, which whoever registered this one registered with it.
Op SpecialOp(absl::string_view name) {
  const std::optional<Op> op = ParseOp(absl::StrCat("scipy.special.", name));
  DYNACC_CHECK(op.has_value()) << name << " is not registered";
  return *op;
}
Value Special(absl::string_view name, Value x) { return x.Apply(SpecialOp(name)); }

// Where x is 0, the limit that a formula which divides by it has there.
Value UnlessZero(Value x, double limit, Value formula) { return Select(IsZero(x), limit, formula); }

// The cotangent of the second operand of a product that is 0 where `a` is, whatever `b` is.
Value Ratio(Value g, Value a, Value b) { return Select(IsZero(a), 0.0, g * (a / b)); }

// exp((a - 1) * log(x) - x - gammaln(a)): the density of the gamma distribution.
Value GammaDensity(Value a, Value x) {
  return Exp(((a - 1.0) * Log(x) - x) - Special("gammaln", a));
}

// The derivative of psi, for which SciPy has no ufunc: 1 / (x + k) ** 2 of the first steps, and the
// asymptotic series (Abramowitz and Stegun 6.4.6 and 6.4.12), whose error is below 3e-15 there. Up
// to 0 by reflection (6.4.7).
Value Trigamma(Value x) {
  constexpr int kSteps = 12;
  const Value is_reflected = x.Apply(Op::kLessEqual, x.Number(0.0));
  const Value from = Select(is_reflected, 1.0 - x, x);
  const Value r = 1.0 / (double{kSteps} + from), s = r * r;
  Value series = 1.0 / 30 - (5.0 / 66) * s;
  for (const double term : {1.0 / 42, 1.0 / 30, 1.0 / 6}) series = term - s * series;
  Value sum = (r + 0.5 * s) + r * s * series;
  for (int k = kSteps - 1; k >= 0; --k) {
    const Value step = 1.0 / (double(k) + from);
    sum = sum + step * step;
  }
  const Value ratio = std::numbers::pi / (std::numbers::pi * x).Apply(Op::kSin);
  return Select(is_reflected, ratio * ratio - sum, sum);
}

absl::Status NoneByFirst() {
  return absl::UnimplementedError(
      "a function of SciPy's whose derivative by its first argument has no rule");
}

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
Value SpecialGammaGradient(Value g, Value x, Value y) { return g * (y * Special("psi", x)); }
Value SpecialGammalnGradient(Value g, Value x, Value) { return g * Special("psi", x); }
Value SpecialI0Gradient(Value g, Value x, Value) { return g * Special("i1", x); }
Value SpecialJ0Gradient(Value g, Value x, Value) { return -(g * Special("j1", x)); }
Value SpecialY0Gradient(Value g, Value x, Value) { return -(g * Special("y1", x)); }
Value SpecialPsiGradient(Value g, Value x, Value) { return g * Trigamma(x); }
Value SpecialLoggammaGradient(Value g, Value x, Value) { return g * Special("psi", x); }
Value SpecialRgammaGradient(Value g, Value x, Value y) { return -(g * (y * Special("psi", x))); }
Value SpecialI1Gradient(Value g, Value x, Value y) {
  return g * UnlessZero(x, 0.5, Special("i0", x) - y / x);
}
Value SpecialI0eGradient(Value g, Value x, Value y) {
  return g * (Special("i1e", x) - Sign(x) * y);
}
Value SpecialI1eGradient(Value g, Value x, Value y) {
  return g * UnlessZero(x, 0.5, Special("i0e", x) - y * (Sign(x) + 1.0 / x));
}
Value SpecialJ1Gradient(Value g, Value x, Value y) {
  return g * UnlessZero(x, 0.5, Special("j0", x) - y / x);
}
Value SpecialY1Gradient(Value g, Value x, Value y) { return g * (Special("y0", x) - y / x); }
Value SpecialK0Gradient(Value g, Value x, Value) { return -(g * Special("k1", x)); }
Value SpecialK1Gradient(Value g, Value x, Value y) { return -(g * (Special("k0", x) + y / x)); }
Value SpecialK0eGradient(Value g, Value x, Value y) { return g * (y - Special("k1e", x)); }
Value SpecialK1eGradient(Value g, Value x, Value y) {
  return g * ((y - y / x) - Special("k0e", x));
}
Value SpecialLogNdtrGradient(Value g, Value x, Value y) {
  return g * (std::sqrt(0.5) * std::numbers::inv_sqrtpi * Exp(-0.5 * (x * x) - y));
}
Value SpecialNdtriExpGradient(Value g, Value x, Value y) {
  return g * (std::sqrt(2.0 * std::numbers::pi) * Exp(x + 0.5 * (y * y)));
}
Value SpecialErfiGradient(Value g, Value x, Value) { return g * (kTwoBySqrtPi * Exp(x * x)); }
Value SpecialDawsnGradient(Value g, Value x, Value y) { return g * (1.0 - 2.0 * (x * y)); }
Value SpecialExpiGradient(Value g, Value x, Value) { return g * (Exp(x) / x); }
Value SpecialExp1Gradient(Value g, Value x, Value) { return -(g * (Exp(-x) / x)); }
Value SpecialSpenceGradient(Value g, Value x, Value) {
  return g * UnlessZero(1.0 - x, -1.0, Log(x) / (1.0 - x));
}
Value SpecialCosm1Gradient(Value g, Value x, Value) { return -(g * x.Apply(Op::kSin)); }
Value SpecialExprelGradient(Value g, Value x, Value y) {
  return g * UnlessZero(x, 0.5, (Exp(x) - y) / x);
}
Value SpecialEllipkGradient(Value g, Value x, Value y) {
  return g * UnlessZero(x, std::numbers::pi / 8,
                        (Special("ellipe", x) - (1.0 - x) * y) / (2.0 * (x * (1.0 - x))));
}
Value SpecialEllipeGradient(Value g, Value x, Value y) {
  return g * UnlessZero(x, -std::numbers::pi / 8, (y - Special("ellipk", x)) / (2.0 * x));
}

absl::Status SpecialGammaincGradient(Pullback& pull) {
  if (pull.Needs(0)) return NoneByFirst();
  const Value g(pull.graph, pull.cotangent);
  pull.Give(1, g * GammaDensity(pull.operand(0), pull.operand(1)));
  return absl::OkStatus();
}
absl::Status SpecialGammainccGradient(Pullback& pull) {
  if (pull.Needs(0)) return NoneByFirst();
  const Value g(pull.graph, pull.cotangent);
  pull.Give(1, -(g * GammaDensity(pull.operand(0), pull.operand(1))));
  return absl::OkStatus();
}

BinaryCotangents SpecialBetaGradient(Value g, Value a, Value b, Value y) {
  return SpecialBetalnGradient(g * y, a, b, y);
}
BinaryCotangents SpecialBetalnGradient(Value g, Value a, Value b, Value) {
  const Value of_sum = Special("psi", a + b);
  return {g * (Special("psi", a) - of_sum), g * (Special("psi", b) - of_sum)};
}
BinaryCotangents SpecialRelEntrGradient(Value g, Value a, Value b, Value) {
  return {g * (1.0 + Log(a / b)), -(g * (a / b))};
}
BinaryCotangents SpecialKlDivGradient(Value g, Value a, Value b, Value) {
  return {g * Log(a / b), g * (1.0 - a / b)};
}
BinaryCotangents SpecialBoxcoxGradient(Value g, Value a, Value b, Value) {
  const Value log = Log(a), of_zero = 0.5 * (log * log);
  const Value of_other = (1.0 + (b * log - 1.0) * a.Apply(Op::kPower, b)) / (b * b);
  return {g * a.Apply(Op::kPower, b - 1.0), g * Select(IsZero(b), of_zero, of_other)};
}
BinaryCotangents SpecialHuberGradient(Value g, Value a, Value b, Value) {
  const Value size = b.Apply(Op::kAbsolute);
  const Value is_near = size.Apply(Op::kLessEqual, a);
  return {g * Select(is_near, 0.0, size - a), g * Select(is_near, b, a * Sign(b))};
}
BinaryCotangents SpecialPseudoHuberGradient(Value g, Value a, Value b, Value) {
  const Value ratio = b / a;
  const Value s = (1.0 + ratio * ratio).Apply(Op::kSqrt);
  return {g * (2.0 * (a * (s - 1.0)) - (b * ratio) / s), g * (b / s)};
}
BinaryCotangents SpecialXlogyGradient(Value g, Value a, Value b, Value) {
  return {g * Log(b), Ratio(g, a, b)};
}
BinaryCotangents SpecialXlog1pyGradient(Value g, Value a, Value b, Value) {
  return {g * b.Apply(Op::kLog1p), Ratio(g, a, 1.0 + b)};
}

}  // namespace dynacc::autodiff
