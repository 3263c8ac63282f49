// The binary ops on one pair of values: struct <Name> of ops.def, as in element_unary.h.
#pragma once

#include <algorithm>
#include <cfenv>
#include <numeric>

#include "runtime/ops/element_unary.h"

namespace dynacc::element {

#define DYNACC_WRAPPING_OP(Name, op)                                        \
  struct Name##Numbers {                                                    \
    template <FloatType T>                                                  \
    static T Apply(T a, T b) {                                              \
      return a op b;                                                        \
    }                                                                       \
    template <IntType T>                                                    \
    static T Apply(T a, T b) {                                              \
      return Wrap<T>(static_cast<uint64_t>(a) op static_cast<uint64_t>(b)); \
    }                                                                       \
  };
DYNACC_WRAPPING_OP(Add, +)
DYNACC_WRAPPING_OP(Subtract, -)
DYNACC_WRAPPING_OP(Multiply, *)
#undef DYNACC_WRAPPING_OP

// Arithmetic on bools is logic; NumPy has no difference of bools.
struct Add : AddNumbers {
  using AddNumbers::Apply;
  template <std::same_as<bool> T>
  static bool Apply(T a, T b) {
    return a || b;
  }
};
struct Subtract : SubtractNumbers {};
struct Multiply : MultiplyNumbers {
  using MultiplyNumbers::Apply;
  template <std::same_as<bool> T>
  static bool Apply(T a, T b) {
    return a && b;
  }
};

// Of complex numbers alone: see ComplexOf.
struct MultiplyFused {};

struct Divide {
  template <FloatType T>
  static T Apply(T a, T b) {
    return a / b;
  }
};

// NaN wins; of equal values (zeros of two signs) the first.
struct Maximum {
  template <typename T>
  static T Apply(T a, T b) {
    return a >= b || a != a ? a : b;
  }
};
struct Minimum {
  template <typename T>
  static T Apply(T a, T b) {
    return a <= b || a != a ? a : b;
  }
};
// NaN loses.
struct Fmax {
  template <typename T>
  static T Apply(T a, T b) {
    return a >= b || b != b ? a : b;
  }
};
struct Fmin {
  template <typename T>
  static T Apply(T a, T b) {
    return a <= b || b != b ? a : b;
  }
};

#define DYNACC_TRUTH_OP(Name, expression) \
  struct Name {                           \
    template <typename T>                 \
    static bool Apply(T a, T b) {         \
      return expression;                  \
    }                                     \
  };
DYNACC_TRUTH_OP(Equal, a == b)
DYNACC_TRUTH_OP(NotEqual, a != b)
DYNACC_TRUTH_OP(Less, a < b)
DYNACC_TRUTH_OP(LessEqual, a <= b)
DYNACC_TRUTH_OP(Greater, a > b)
DYNACC_TRUTH_OP(GreaterEqual, a >= b)
DYNACC_TRUTH_OP(LogicalAnd, (a != 0) && (b != 0))
DYNACC_TRUTH_OP(LogicalOr, (a != 0) || (b != 0))
DYNACC_TRUTH_OP(LogicalXor, (a != 0) != (b != 0))
#undef DYNACC_TRUTH_OP

#define DYNACC_BITS_OP(Name, op)     \
  struct Name {                      \
    template <BitsType T>            \
    static T Apply(T a, T b) {       \
      return static_cast<T>(a op b); \
    }                                \
  };
DYNACC_BITS_OP(BitwiseAnd, &)
DYNACC_BITS_OP(BitwiseOr, |)
DYNACC_BITS_OP(BitwiseXor, ^)
#undef DYNACC_BITS_OP

// Shifting by the width or more (or by a negative number) shifts everything out.
template <IntType T>
bool ShiftsOut(T by) {
  return static_cast<std::make_unsigned_t<T>>(by) >= sizeof(T) * 8;
}

struct LeftShift {
  template <IntType T>
  static T Apply(T a, T b) {
    return ShiftsOut(b) ? T(0) : Wrap<T>(static_cast<uint64_t>(a) << b);
  }
};
struct RightShift {
  template <IntType T>
  static T Apply(T a, T b) {
    if (ShiftsOut(b)) return a < 0 ? T(-1) : T(0);
    return static_cast<T>(a >> b);
  }
};

// Whether a / b has no quotient: zero divisor (raises FE_DIVBYZERO as NumPy does).
template <IntType T>
bool DividesByZero(T b) {
  if (b == 0) std::feraiseexcept(FE_DIVBYZERO);
  return b == 0;
}

// npy_divmod (numpy/core/src/npymath/npy_math_internal.h.src).
template <FloatType T>
T FloorMod(T a, T b, T* quotient) {
  T mod = std::fmod(a, b);
  if (b == 0) {
    *quotient = a / b;
    return mod;
  }
  T div = (a - mod) / b;
  if (mod == 0) {
    mod = std::copysign(T(0), b);
  } else if ((b < 0) != (mod < 0)) {
    mod += b;
    div -= T(1);
  }
  if (div == 0) {
    *quotient = std::copysign(T(0), a / b);
  } else {
    *quotient = std::floor(div);
    if (div - *quotient > T(0.5)) *quotient += T(1);
  }
  return mod;
}

struct Fmod {
  template <FloatType T>
  static T Apply(T a, T b) {
    return std::fmod(a, b);
  }
  template <IntType T>
  static T Apply(T a, T b) {
    if (DividesByZero(b)) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;  // the lowest integer % -1 traps
    }
    return static_cast<T>(a % b);
  }
};

struct Remainder {
  template <FloatType T>
  static T Apply(T a, T b) {
    T quotient;
    return FloorMod(a, b, &quotient);
  }
  template <IntType T>
  static T Apply(T a, T b) {
    const T mod = Fmod::Apply(a, b);
    return mod != 0 && (mod < 0) != (b < 0) ? static_cast<T>(mod + b) : mod;
  }
};

struct FloorDivide {
  template <FloatType T>
  static T Apply(T a, T b) {
    T quotient;
    FloorMod(a, b, &quotient);
    return quotient;
  }
  template <IntType T>
  static T Apply(T a, T b) {
    if (DividesByZero(b)) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) {  // the lowest integer / -1 traps; NumPy wraps and reports an overflow
        if (a == std::numeric_limits<T>::min()) std::feraiseexcept(FE_OVERFLOW);
        return Negative::Apply(a);
      }
      return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0)));
    }
    return static_cast<T>(a / b);
  }
};

struct Power {
  template <FloatType T>
  static T Apply(T a, T b) {
    return std::pow(a, b);
  }
  // By squaring, wrapping. NumPy refuses negative exponents before any loop runs; here they give 0.
  template <IntType T>
  static T Apply(T a, T b) {
    if (b < 0) return 0;
    uint64_t result = 1;
    uint64_t base = static_cast<uint64_t>(a);
    for (uint64_t rest = static_cast<uint64_t>(b); rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) result *= base;
      base *= base;
    }
    return Wrap<T>(result);
  }
};
struct FloatPower {
  template <FloatType T>
  static T Apply(T a, T b) {
    return std::pow(a, b);
  }
};

struct Copysign {
  template <FloatType T>
  static T Apply(T a, T b) {
    return std::copysign(a, b);
  }
};
struct Arctan2 {
  template <FloatType T>
  static T Apply(T a, T b) {
    return std::atan2(a, b);
  }
};
struct Hypot {
  template <FloatType T>
  static T Apply(T a, T b) {
    return std::hypot(a, b);
  }
};
struct Nextafter {
  template <FloatType T>
  static T Apply(T a, T b) {
    return std::nextafter(a, b);
  }
};

// npy_logaddexp: equal operands first, so that equal infinities raise nothing.
struct Logaddexp {
  template <FloatType T>
  static T Apply(T a, T b) {
    if (a == b) return a + std::numbers::ln2_v<T>;
    const T difference = a - b;
    if (difference > 0) return a + std::log1p(std::exp(-difference));
    if (difference <= 0) return b + std::log1p(std::exp(difference));
    return difference;  // NaN
  }
};
struct Logaddexp2 {
  template <FloatType T>
  static T Log2OnePlus(T x) {
    return std::numbers::log2e_v<T> * std::log1p(x);
  }
  template <FloatType T>
  static T Apply(T a, T b) {
    if (a == b) return a + T(1);
    const T difference = a - b;
    if (difference > 0) return a + Log2OnePlus(std::exp2(-difference));
    if (difference <= 0) return b + Log2OnePlus(std::exp2(difference));
    return difference;  // NaN
  }
};

struct Heaviside {
  template <FloatType T>
  static T Apply(T a, T b) {
    if (std::isnan(a)) return a;
    if (a == 0) return b;
    return a < 0 ? T(0) : T(1);
  }
};

// Euclid on absolute values, which for the lowest integer wraps to itself.
struct Gcd {
  template <IntType T>
  static std::make_unsigned_t<T> OfMagnitudes(T a, T b) {
    using Magnitude = std::make_unsigned_t<T>;
    return std::gcd(static_cast<Magnitude>(Absolute::Apply(a)),
                    static_cast<Magnitude>(Absolute::Apply(b)));
  }
  template <IntType T>
  static T Apply(T a, T b) {
    return static_cast<T>(OfMagnitudes(a, b));
  }
};
struct Lcm {
  template <IntType T>
  static T Apply(T a, T b) {
    using Magnitude = std::make_unsigned_t<T>;
    const Magnitude gcd = Gcd::OfMagnitudes(a, b);
    if (gcd == 0) return 0;
    const uint64_t quotient = static_cast<Magnitude>(Absolute::Apply(a)) / gcd;
    return Wrap<T>(quotient * static_cast<Magnitude>(Absolute::Apply(b)));
  }
};

}  // namespace dynacc::element
