// The ops on complex numbers: ComplexOf<Name> for the structs of element_unary.h and
// element_binary.h, as NumPy's loops do them (numpy/core/src/umath/loops.c.src, funcs.inc.src).
// Comparisons are lexicographic. Transcendental functions are the C library's, as NumPy's are.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "runtime/ops/element_binary.h"
#include "runtime/tensor/element_types.h"

namespace dynacc {

// a * b. The first product of each part goes into the sum unrounded if kFused.
template <bool kFused, ComplexType T>
T Product(T a, T b) {
  const auto real = a.imag() * b.imag();
  const auto imag = a.imag() * b.real();
  if constexpr (kFused) {
    return T(std::fma(a.real(), b.real(), -real), std::fma(a.real(), b.imag(), imag));
  } else {
    return T(a.real() * b.real() - real, a.real() * b.imag() + imag);
  }
}

namespace element {

// Ops without a loop for complex numbers have nothing here.
template <typename OpStruct>
struct ComplexOf {};

#define DYNACC_COMPLEX_UNARY(Name, expression) \
  template <>                                  \
  struct ComplexOf<Name> {                     \
    template <ComplexType T>                   \
    static auto Apply(T a) {                   \
      return expression;                       \
    }                                          \
  };
#define DYNACC_COMPLEX_BINARY(Name, expression) \
  template <>                                   \
  struct ComplexOf<Name> {                      \
    template <ComplexType T>                    \
    static auto Apply(T a, T b) {               \
      return expression;                        \
    }                                           \
  };

template <ComplexType T>
bool IsNanOf(T a) {
  return std::isnan(a.real()) || std::isnan(a.imag());
}
template <ComplexType T>
bool IsTrue(T a) {
  return a.real() != 0 || a.imag() != 0;
}
// NumPy's CLT, CLE and CEQ.
template <ComplexType T>
bool LessOf(T a, T b) {
  const bool ordered = !std::isnan(a.imag()) && !std::isnan(b.imag());
  return (a.real() < b.real() && ordered) || (a.real() == b.real() && a.imag() < b.imag());
}
template <ComplexType T>
bool LessEqualOf(T a, T b) {
  const bool ordered = !std::isnan(a.imag()) && !std::isnan(b.imag());
  return (a.real() < b.real() && ordered) || (a.real() == b.real() && a.imag() <= b.imag());
}
template <ComplexType T>
bool EqualOf(T a, T b) {
  return a.real() == b.real() && a.imag() == b.imag();
}

template <ComplexType T>
T Quotient(T a, T b) {
  using Part = typename T::value_type;
  const Part real = std::fabs(b.real());
  const Part imag = std::fabs(b.imag());
  if (real >= imag) {
    if (real == 0 && imag == 0) return T(a.real() / real, a.imag() / real);
    const Part ratio = b.imag() / b.real();
    const Part scale = Part(1) / (b.real() + b.imag() * ratio);
    return T((a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale);
  }
  const Part ratio = b.real() / b.imag();
  const Part scale = Part(1) / (b.imag() + b.real() * ratio);
  return T((a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale);
}

template <ComplexType T>
T ReciprocalOf(T a) {
  using Part = typename T::value_type;
  if (std::fabs(a.imag()) <= std::fabs(a.real())) {
    const Part ratio = a.imag() / a.real();
    const Part divisor = a.real() + a.imag() * ratio;
    return T(Part(1) / divisor, -ratio / divisor);
  }
  const Part ratio = a.real() / a.imag();
  const Part divisor = a.real() * ratio + a.imag();
  return T(ratio / divisor, Part(-1) / divisor);
}

template <ComplexType T>
T SignOf(T a) {
  using Part = typename T::value_type;
  if (LessOf(T(0), a)) return T(1);
  if (LessOf(a, T(0))) return T(-1);
  return EqualOf(a, T(0)) ? T(0) : T(std::numeric_limits<Part>::quiet_NaN());
}

template <ComplexType T>
T Expm1Of(T a) {
  const auto half_sine = std::sin(a.imag() / 2);
  return T(std::expm1(a.real()) * std::cos(a.imag()) - 2 * half_sine * half_sine,
           std::exp(a.real()) * std::sin(a.imag()));
}
template <ComplexType T>
T Log1pOf(T a) {
  return T(std::log(std::hypot(a.real() + 1, a.imag())), std::atan2(a.imag(), a.real() + 1));
}
// By a power of base: log(a) times log base e.
template <ComplexType T>
T ScaledLog(T a, typename T::value_type log_e) {
  const T log = std::log(a);
  return T(log.real() * log_e, log.imag() * log_e);
}

DYNACC_COMPLEX_UNARY(Negative, T(-a.real(), -a.imag()))
DYNACC_COMPLEX_UNARY(Positive, a)
DYNACC_COMPLEX_UNARY(StopGradient, a)
DYNACC_COMPLEX_UNARY(Checkpoint, a)
DYNACC_COMPLEX_UNARY(EndCheckpoint, a)
DYNACC_COMPLEX_UNARY(Cotangent, a)
DYNACC_COMPLEX_UNARY(Conjugate, T(a.real(), -a.imag()))
DYNACC_COMPLEX_UNARY(Real, a.real())
DYNACC_COMPLEX_UNARY(Imag, a.imag())
DYNACC_COMPLEX_UNARY(Absolute, std::hypot(a.real(), a.imag()))
DYNACC_COMPLEX_UNARY(Square, Product<false>(a, a))
DYNACC_COMPLEX_UNARY(Reciprocal, ReciprocalOf(a))
DYNACC_COMPLEX_UNARY(Sign, SignOf(a))
DYNACC_COMPLEX_UNARY(Rint, T(std::nearbyint(a.real()), std::nearbyint(a.imag())))
DYNACC_COMPLEX_UNARY(LogicalNot, !IsTrue(a))
DYNACC_COMPLEX_UNARY(IsNan, IsNanOf(a))
DYNACC_COMPLEX_UNARY(IsInf, std::isinf(a.real()) || std::isinf(a.imag()))
DYNACC_COMPLEX_UNARY(IsFinite, std::isfinite(a.real()) && std::isfinite(a.imag()))
DYNACC_COMPLEX_UNARY(Sqrt, std::sqrt(a))
DYNACC_COMPLEX_UNARY(Exp, std::exp(a))
DYNACC_COMPLEX_UNARY(Exp2, std::exp(a* std::numbers::ln2_v<typename T::value_type>))
DYNACC_COMPLEX_UNARY(Expm1, Expm1Of(a))
DYNACC_COMPLEX_UNARY(Log, std::log(a))
DYNACC_COMPLEX_UNARY(Log2, ScaledLog(a, std::numbers::log2e_v<typename T::value_type>))
DYNACC_COMPLEX_UNARY(Log10, ScaledLog(a, std::numbers::log10e_v<typename T::value_type>))
DYNACC_COMPLEX_UNARY(Log1p, Log1pOf(a))
DYNACC_COMPLEX_UNARY(Sin, std::sin(a))
DYNACC_COMPLEX_UNARY(Cos, std::cos(a))
DYNACC_COMPLEX_UNARY(Tan, std::tan(a))
DYNACC_COMPLEX_UNARY(Arcsin, std::asin(a))
DYNACC_COMPLEX_UNARY(Arccos, std::acos(a))
DYNACC_COMPLEX_UNARY(Arctan, std::atan(a))
DYNACC_COMPLEX_UNARY(Sinh, std::sinh(a))
DYNACC_COMPLEX_UNARY(Cosh, std::cosh(a))
DYNACC_COMPLEX_UNARY(Tanh, std::tanh(a))
DYNACC_COMPLEX_UNARY(Arcsinh, std::asinh(a))
DYNACC_COMPLEX_UNARY(Arccosh, std::acosh(a))
DYNACC_COMPLEX_UNARY(Arctanh, std::atanh(a))

DYNACC_COMPLEX_BINARY(Add, T(a.real() + b.real(), a.imag() + b.imag()))
DYNACC_COMPLEX_BINARY(Subtract, T(a.real() - b.real(), a.imag() - b.imag()))
DYNACC_COMPLEX_BINARY(Multiply, Product<false>(a, b))
DYNACC_COMPLEX_BINARY(MultiplyFused, Product<true>(a, b))
DYNACC_COMPLEX_BINARY(Divide, Quotient(a, b))
DYNACC_COMPLEX_BINARY(Power, std::pow(a, b))
DYNACC_COMPLEX_BINARY(FloatPower, std::pow(a, b))
DYNACC_COMPLEX_BINARY(Maximum, IsNanOf(a) || LessEqualOf(b, a) ? a : b)
DYNACC_COMPLEX_BINARY(Minimum, IsNanOf(a) || LessEqualOf(a, b) ? a : b)
DYNACC_COMPLEX_BINARY(Fmax, IsNanOf(b) || LessEqualOf(b, a) ? a : b)
DYNACC_COMPLEX_BINARY(Fmin, IsNanOf(b) || LessEqualOf(a, b) ? a : b)
DYNACC_COMPLEX_BINARY(Equal, EqualOf(a, b))
DYNACC_COMPLEX_BINARY(NotEqual, !EqualOf(a, b))
DYNACC_COMPLEX_BINARY(Less, LessOf(a, b))
DYNACC_COMPLEX_BINARY(LessEqual, LessEqualOf(a, b))
DYNACC_COMPLEX_BINARY(Greater, LessOf(b, a))
DYNACC_COMPLEX_BINARY(GreaterEqual, LessEqualOf(b, a))
DYNACC_COMPLEX_BINARY(LogicalAnd, IsTrue(a) && IsTrue(b))
DYNACC_COMPLEX_BINARY(LogicalOr, IsTrue(a) || IsTrue(b))
DYNACC_COMPLEX_BINARY(LogicalXor, IsTrue(a) != IsTrue(b))

#undef DYNACC_COMPLEX_UNARY
#undef DYNACC_COMPLEX_BINARY

}  // namespace element
}  // namespace dynacc
