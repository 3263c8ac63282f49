// The unary ops on one value: struct <Name> of ops.def, with Apply overloaded for the dtypes that
// NumPy has a loop for.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include "runtime/ops/cast_value.h"

namespace dynacc::element {

template <typename T>
concept FloatType = std::floating_point<T>;
template <typename T>
concept IntType = std::integral<T> && !std::same_as<T, bool>;
template <typename T>
concept BitsType = std::integral<T>;
template <typename T>
concept NumberType = FloatType<T> || IntType<T>;

// Integer arithmetic that wraps, also where int promotion would overflow (u16 * u16).
template <IntType T>
T Wrap(uint64_t value) {
  return static_cast<T>(value);
}

struct Negative {
  static auto Apply(FloatType auto a) { return -a; }
  template <IntType T>
  static T Apply(T a) {
    return Wrap<T>(-static_cast<uint64_t>(a));
  }
};

struct Positive {
  static auto Apply(auto a) { return a; }
};

struct StopGradient {
  static auto Apply(auto a) { return a; }
};
struct Checkpoint : StopGradient {};
struct EndCheckpoint : StopGradient {};
struct Cotangent : StopGradient {};

struct Absolute {
  static auto Apply(FloatType auto a) { return std::fabs(a); }
  template <BitsType T>
  static T Apply(T a) {
    if constexpr (std::is_signed_v<T>) return a < 0 ? Negative::Apply(a) : a;
    return a;
  }
};

struct Fabs {
  static auto Apply(FloatType auto a) { return std::fabs(a); }
};

struct Square {
  static auto Apply(FloatType auto a) { return a * a; }
  template <IntType T>
  static T Apply(T a) {
    return Wrap<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(a));
  }
};

// NumPy's Reciprocal of an integer divides in double precision and truncates.
struct Reciprocal {
  template <FloatType T>
  static T Apply(T a) {
    return T(1) / a;
  }
  template <IntType T>
  static T Apply(T a) {
    return CastValue<T>(1.0 / static_cast<double>(a));
  }
};

struct Sign {
  template <FloatType T>
  static T Apply(T a) {
    return std::isnan(a) ? a : T((a > 0) - (a < 0));
  }
  template <IntType T>
  static T Apply(T a) {
    return T((a > 0) - (a < 0));
  }
};

struct LogicalNot {
  static bool Apply(auto a) { return a == 0; }
};

struct Invert {
  template <std::same_as<bool> T>
  static bool Apply(T a) {
    return !a;
  }
  template <IntType T>
  static T Apply(T a) {
    return static_cast<T>(~a);
  }
};

struct IsNan {
  static bool Apply(FloatType auto a) { return std::isnan(a); }
  static bool Apply(BitsType auto) { return false; }
};

struct IsInf {
  static bool Apply(FloatType auto a) { return std::isinf(a); }
  static bool Apply(BitsType auto) { return false; }
};

struct IsFinite {
  static bool Apply(FloatType auto a) { return std::isfinite(a); }
  static bool Apply(BitsType auto) { return true; }
};

struct SignBit {
  static bool Apply(FloatType auto a) { return std::signbit(a); }
};

struct Degrees {
  template <FloatType T>
  static T Apply(T a) {
    return a * (T(180) / std::numbers::pi_v<T>);
  }
};
struct Rad2Deg : Degrees {};

struct Radians {
  template <FloatType T>
  static T Apply(T a) {
    return a * (std::numbers::pi_v<T> / T(180));
  }
};
struct Deg2Rad : Radians {};

// npy_spacing: the distance to the next value away from zero.
struct Spacing {
  template <FloatType T>
  static T Apply(T a) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    if (std::isinf(a)) return std::numeric_limits<T>::quiet_NaN();
    if (a == 0) return std::numeric_limits<T>::denorm_min();
    return std::nextafter(a, std::copysign(kInfinity, a)) - a;
  }
};

struct Conjugate {
  static auto Apply(NumberType auto a) { return a; }
};

// Of complex numbers alone: see ComplexOf.
struct Real {};
struct Imag {};

// A function of <cmath> on floats.
#define DYNACC_LIBM_OP(Name, function)                               \
  struct Name {                                                      \
    static auto Apply(FloatType auto a) { return std::function(a); } \
  };
DYNACC_LIBM_OP(Sqrt, sqrt)
DYNACC_LIBM_OP(Floor, floor)
DYNACC_LIBM_OP(Ceil, ceil)
DYNACC_LIBM_OP(Trunc, trunc)
DYNACC_LIBM_OP(Rint, nearbyint)
DYNACC_LIBM_OP(Exp, exp)
DYNACC_LIBM_OP(Exp2, exp2)
DYNACC_LIBM_OP(Expm1, expm1)
DYNACC_LIBM_OP(Log, log)
DYNACC_LIBM_OP(Log2, log2)
DYNACC_LIBM_OP(Log10, log10)
DYNACC_LIBM_OP(Log1p, log1p)
DYNACC_LIBM_OP(Sin, sin)
DYNACC_LIBM_OP(Cos, cos)
DYNACC_LIBM_OP(Tan, tan)
DYNACC_LIBM_OP(Arcsin, asin)
DYNACC_LIBM_OP(Arccos, acos)
DYNACC_LIBM_OP(Arctan, atan)
DYNACC_LIBM_OP(Sinh, sinh)
DYNACC_LIBM_OP(Cosh, cosh)
DYNACC_LIBM_OP(Tanh, tanh)
DYNACC_LIBM_OP(Arcsinh, asinh)
DYNACC_LIBM_OP(Arccosh, acosh)
DYNACC_LIBM_OP(Arctanh, atanh)
DYNACC_LIBM_OP(Cbrt, cbrt)
#undef DYNACC_LIBM_OP

}  // namespace dynacc::element
