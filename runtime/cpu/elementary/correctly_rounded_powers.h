// The loops of PowerKernels, as a template over the width of the registers. Included once by each
// file that is compiled for a level of instructions, and nowhere else: all names are local to that
// file (runtime/cpu/matmul/blocked_matmul.h says why).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cpu/elementary/power_kernels.h"

namespace dynacc::cpu {
namespace {

template <int kRegister>
struct Doubles {
  static constexpr int kLanes = kRegister / 8;
  typedef double Vector __attribute__((vector_size(kRegister)));
  typedef int64_t Bits __attribute__((vector_size(kRegister)));
  typedef float Floats __attribute__((vector_size(kRegister / 2), aligned(4), may_alias));
  typedef double Unaligned __attribute__((vector_size(kRegister), aligned(8), may_alias));
};

template <typename Vector>
inline Vector All(double x) {
  return Vector{} + x;
}

// A power as a number of the format, and what is left over; both doubles.
template <typename Vector>
struct Power {
  Vector rounded, rest;
};

// How far, in units of the last place, glibc's pow or powf may be off beyond rounding (their
// sources state the parts of their errors), with something to spare.
struct Margins {
  double near_one;  // for powers from 1/kNearOne to kNearOne
  double elsewhere;
};
constexpr double kNearOne = 64;

// The number rounded to fewer bits, by one: 53 - log2(splitter) (Dekker).
template <typename Vector>
inline Vector UpperPart(Vector x, double splitter) {
  const Vector scaled = x * splitter;
  return scaled - (scaled - x);
}

// What x * y, rounded, leaves over (Dekker, "A floating-point technique for extending the available
// precision", Numerische Mathematik 18, 1971; a fused operation gives the same number). Vectors
// have no portable name for a fused operation or a root: the compiler makes one of the lanes' loop.
template <typename Vector>
inline Vector ProductError(Vector x, Vector y, Vector product) {
#ifdef __FMA__
  Vector error;
  for (size_t lane = 0; lane < sizeof(Vector) / sizeof(double); ++lane) {
    error[lane] = __builtin_fma(x[lane], y[lane], -product[lane]);
  }
  return error;
#else
  const Vector x_high = UpperPart(x, 0x1p27 + 1), y_high = UpperPart(y, 0x1p27 + 1);
  const Vector x_low = x - x_high, y_low = y - y_high;
  return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
#endif
}

// To some 2^-23 of the number, which is not too large for a float.
template <typename Vector>
inline Vector RoughInverse(Vector x) {
  Vector inverse;
  for (size_t lane = 0; lane < sizeof(Vector) / sizeof(double); ++lane) {
    inverse[lane] = 1.0f / static_cast<float>(x[lane]);
  }
  return inverse;
}

template <typename Vector>
inline Vector Root(Vector x) {
  Vector root;
  for (size_t lane = 0; lane < sizeof(Vector) / sizeof(double); ++lane) {
    root[lane] = __builtin_sqrt(x[lane]);
  }
  return root;
}

struct FloatPowers {
  using Type = float;
  static constexpr int kMantissaBits = 23;
  static constexpr double kLargest = 0x1p20;  // of a power; the least is 1 over it
  // e_powf.c: 0.32 units at |log2| = 128, in proportion elsewhere; 0.002 units of the exponential.
  static constexpr Margins kMargins = {1.0 / 48, 1.0 / 16};

  // In double: off by some 2^-50 of the number.
  template <typename Vector>
  struct Number {
    Vector value;

    void TimesBase(Vector base) { value *= base; }
    void TimesRoot(Vector base) { value *= Root(base); }
    void Invert() { value = 1 / value; }
    Power<Vector> Rounded() const {
      const Vector rounded = UpperPart(value, 0x1p29 + 1);
      return {rounded, value - rounded};
    }
  };
};

struct DoublePowers {
  using Type = double;
  static constexpr int kMantissaBits = 52;
  static constexpr double kLargest = 0x1p64;
  // e_pow.c: 0.009 units of the exponential; 1.3 * 2^-68 of the logarithm, which is 0.002 units
  // here.
  static constexpr Margins kMargins = {1.0 / 64, 1.0 / 64};

  // In pairs of doubles: off by some 2^-75 of the number if there is a root, by 2^-100 otherwise.
  template <typename Vector>
  struct Number {
    Vector high;
    Vector low = {};

    void TimesBase(Vector base) { Times(base, Vector{}); }

    // What the rounded root lacks is a step of Newton's away, and so small that its own first
    // digits do.
    void TimesRoot(Vector base) {
      const Vector root = Root(base);
      const Vector square = root * root;
      const Vector missing = (base - square) - ProductError(root, root, square);
      Times(root, missing * RoughInverse(root + root));
    }

    void Invert() {
      const Vector quotient = 1 / high;
      const Vector product = quotient * high;
      const Vector missing =
          ((1 - product) - ProductError(quotient, high, product)) - quotient * low;
      Set(quotient, missing * quotient);
    }

    Power<Vector> Rounded() const { return {high, low}; }

   private:
    void Times(Vector factor, Vector factor_low) {
      const Vector product = high * factor;
      Set(product, ProductError(high, factor, product) + (low * factor + high * factor_low));
    }

    void Set(Vector number, Vector rest) {
      high = number + rest;
      low = rest - (high - number);
    }
  };
};

// The greatest power of two whose power is not greater than `largest`.
inline double RootBelow(double largest, PowerExponent exponent) {
  const int halves = 2 * exponent.whole + (exponent.has_half ? 1 : 0);
  double root = 1;
  for (;;) {
    double square = 1;  // of the power of 2 * root
    for (int k = 0; k < halves; ++k) square *= 2 * root;
    if (square > largest * largest) return root;
    root *= 2;
  }
}

template <typename Registers>
struct Memory {
  using Vector = typename Registers::Vector;
  using Floats = typename Registers::Floats;
  static Vector Load(const double* x) {
    return *reinterpret_cast<const typename Registers::Unaligned*>(x);
  }
  static Vector Load(const float* x) {
    return __builtin_convertvector(*reinterpret_cast<const Floats*>(x), Vector);
  }
  static void Store(Vector v, double* x) {
    *reinterpret_cast<typename Registers::Unaligned*>(x) = v;
  }
  static void Store(Vector v, float* x) {
    *reinterpret_cast<Floats*>(x) = __builtin_convertvector(v, Floats);
  }
};

template <typename Format, typename Registers, bool kHalf>
class CorrectlyRoundedPowers {
 public:
  CorrectlyRoundedPowers(PowerExponent exponent, PowerBases bases)
      : exponent_(exponent),
        greatest_(RootBelow(Format::kLargest, exponent)),
        most_(bases == PowerBases::kAll ? greatest_ : -1 / greatest_) {}

  // Works on whole registers, and so on elements beyond `count` up to the next of them.
  void Run(const typename Format::Type* x, int64_t count, typename Format::Type* found) const {
    for (int64_t i = 0; i < count; i += Registers::kLanes) {
      Memory<Registers>::Store(Raise(Memory<Registers>::Load(x + i)), found + i);
    }
  }

 private:
  using Vector = typename Registers::Vector;
  using Bits = typename Registers::Bits;

  // The correctly rounded powers of `given`, or 0.
  Vector Raise(Vector given) const {
    const Vector amount = given < 0 ? -given : given;
    Bits in_range = (amount >= 1 / greatest_) & (amount <= greatest_) & (given <= most_);
    if constexpr (kHalf) in_range &= given > 0;
    const Vector base = in_range ? amount : All<Vector>(1);
    typename Format::template Number<Vector> number = {exponent_.whole > 0 ? base : All<Vector>(1)};
    for (int k = 1; k < exponent_.whole; ++k) number.TimesBase(base);
    if constexpr (kHalf) number.TimesRoot(base);
    if (exponent_.is_negative) number.Invert();
    const Power<Vector> power = number.Rounded();
    const Bits certain = in_range & IsCertain(power);
    const bool is_odd = exponent_.whole % 2 != 0 && !kHalf;
    const Vector signed_power =
        is_odd ? (given < 0 ? -power.rounded : power.rounded) : power.rounded;
    return certain ? signed_power : Vector{};
  }

  static Bits IsCertain(const Power<Vector>& power) {
    constexpr int64_t kMantissa = (int64_t{1} << 52) - 1;
    constexpr double kUnitOfOne = 1.0 / (int64_t{1} << Format::kMantissaBits);
    const Bits bits = reinterpret_cast<Bits>(power.rounded);
    const Vector unit = reinterpret_cast<Vector>(bits & ~kMantissa) * kUnitOfOne;
    const Bits near_one = (power.rounded >= 1 / kNearOne) & (power.rounded <= kNearOne);
    const Vector within = near_one ? All<Vector>(0.5 - Format::kMargins.near_one)
                                   : All<Vector>(0.5 - Format::kMargins.elsewhere);
    const Vector rest = power.rest < 0 ? -power.rest : power.rest;
    // Below a power of two the unit is another, which is nothing to a power that is one.
    return (((bits & kMantissa) != 0) | (rest == 0)) & (rest < within * unit);
  }

  const PowerExponent exponent_;
  const double greatest_;  // amount of a base; the least is 1 over it
  const double most_;      // of a base
};

template <typename Format, int kRegister>
void CorrectlyRoundedPowersBy(const typename Format::Type* x, int64_t count, PowerExponent exponent,
                              PowerBases bases, typename Format::Type* found) {
  using Registers = Doubles<kRegister>;
  if (exponent.has_half) {
    CorrectlyRoundedPowers<Format, Registers, true>(exponent, bases).Run(x, count, found);
  } else {
    CorrectlyRoundedPowers<Format, Registers, false>(exponent, bases).Run(x, count, found);
  }
}

}  // namespace
}  // namespace dynacc::cpu
