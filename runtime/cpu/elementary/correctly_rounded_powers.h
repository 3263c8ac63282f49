// The loops of PowerKernels, as a template over the width of the registers. Included once by each
// file that is compiled for a level of instructions, and nowhere else: all names are local to that
// file (runtime/cpu/matmul/blocked_matmul.h says why).
#pragma once

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
// precision", Numerische Mathematik 18, 1971). Without FMA, which vectors have no portable name
// for.
template <typename Vector>
inline Vector ProductError(Vector x, Vector y, Vector product) {
  const Vector x_high = UpperPart(x, 0x1p27 + 1), y_high = UpperPart(y, 0x1p27 + 1);
  const Vector x_low = x - x_high, y_low = y - y_high;
  return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
}

struct FloatPowers {
  using Type = float;
  static constexpr int kMantissaBits = 23;
  static constexpr double kLargest = 0x1p20;  // of a power; the least is 1 over it
  // e_powf.c: 0.32 units at |log2| = 128, in proportion elsewhere; 0.002 units of the exponential.
  static constexpr Margins kMargins = {1.0 / 48, 1.0 / 16};

  // In double: off by some 2^-50 of the number.
  template <int kExponent, typename Vector>
  static Power<Vector> Raise(Vector base) {
    Vector product = base;
    for (int k = 1; k < kExponent; ++k) product *= base;
    const Vector rounded = UpperPart(product, 0x1p29 + 1);
    return {rounded, product - rounded};
  }
};

struct DoublePowers {
  using Type = double;
  static constexpr int kMantissaBits = 52;
  static constexpr double kLargest = 0x1p64;
  // e_pow.c: 0.009 units of the exponential; 1.3 * 2^-68 of the logarithm, which is 0.002 units
  // here.
  static constexpr Margins kMargins = {1.0 / 64, 1.0 / 64};

  // In pairs of doubles: off by some 2^-100 of the number.
  template <int kExponent, typename Vector>
  static Power<Vector> Raise(Vector base) {
    Vector high = base, low = {};
    for (int k = 1; k < kExponent; ++k) {
      const Vector product = high * base;
      const Vector error = ProductError(high, base, product) + low * base;
      high = product + error;
      low = error - (high - product);
    }
    return {high, low};
  }
};

// The greatest power of two of which 2 to the `exponent` times fits under `largest`.
constexpr double RootBelow(double largest, int exponent) {
  double root = 1;
  for (;;) {
    double power = 1;
    for (int k = 0; k < exponent; ++k) power *= 2 * root;
    if (power > largest) return root;
    root *= 2;
  }
}

// The correctly rounded powers of `given`, or 0.
template <typename Format, int kExponent, typename Registers>
inline typename Registers::Vector CorrectlyRoundedPower(typename Registers::Vector given) {
  using Vector = typename Registers::Vector;
  using Bits = typename Registers::Bits;
  constexpr int64_t kMantissa = (int64_t{1} << 52) - 1;
  constexpr double kLargest = RootBelow(Format::kLargest, kExponent);
  const Bits in_range = (-given >= 1 / kLargest) & (-given <= kLargest);
  const Power<Vector> power = Format::template Raise<kExponent>(in_range ? -given : All<Vector>(1));
  const Bits bits = reinterpret_cast<Bits>(power.rounded);
  constexpr double kUnitOfOne = 1.0 / (int64_t{1} << Format::kMantissaBits);
  const Vector unit = reinterpret_cast<Vector>(bits & ~kMantissa) * kUnitOfOne;
  const Bits near_one = (power.rounded >= 1 / kNearOne) & (power.rounded <= kNearOne);
  const Vector within = near_one ? All<Vector>(0.5 - Format::kMargins.near_one)
                                 : All<Vector>(0.5 - Format::kMargins.elsewhere);
  const Vector rest = power.rest < 0 ? -power.rest : power.rest;
  // Below a power of two the unit is another.
  const Bits certain = in_range & ((bits & kMantissa) != 0) & (rest < within * unit);
  return certain ? (kExponent % 2 == 0 ? power.rounded : -power.rounded) : Vector{};
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
  static void Store(Vector v, double* x) { *reinterpret_cast<Vector*>(x) = v; }
  static void Store(Vector v, float* x) {
    *reinterpret_cast<Floats*>(x) = __builtin_convertvector(v, Floats);
  }
};

// Works on whole registers, and so on elements of `x` beyond `count` up to the next of them: `x` is
// as long as a block.
template <typename Format, typename Registers, int kExponent>
void CorrectlyRoundedPowers(const typename Format::Type* x, int64_t count,
                            PowerBlock<typename Format::Type>& block) {
  using Vector = typename Registers::Vector;
  for (int64_t i = 0; i < count; i += Registers::kLanes) {
    const Vector given = Memory<Registers>::Load(x + i);
    const Vector found = CorrectlyRoundedPower<Format, kExponent, Registers>(given);
    Memory<Registers>::Store(found, block.found + i);
  }
  // Not by way of Vector: a conversion makes a signalling NaN a quiet one, and the library warns of
  // the first only.
  for (int64_t i = 0; i < kPowerBlock; ++i) block.remaining[i] = block.found[i] != 0 ? 1 : x[i];
}

template <typename Format, int kRegister>
void CorrectlyRoundedPowersBy(const typename Format::Type* x, int64_t count, int exponent,
                              PowerBlock<typename Format::Type>& block) {
  using Registers = Doubles<kRegister>;
  using Type = typename Format::Type;
  constexpr void (*kOfExponent[])(const Type*, int64_t, PowerBlock<Type>&) = {
      &CorrectlyRoundedPowers<Format, Registers, 2>, &CorrectlyRoundedPowers<Format, Registers, 3>,
      &CorrectlyRoundedPowers<Format, Registers, 4>, &CorrectlyRoundedPowers<Format, Registers, 5>,
      &CorrectlyRoundedPowers<Format, Registers, 6>, &CorrectlyRoundedPowers<Format, Registers, 7>,
      &CorrectlyRoundedPowers<Format, Registers, 8>};
  static_assert(kMostPower - kLeastPower == 6);
  kOfExponent[exponent - kLeastPower](x, count, block);
}

}  // namespace
}  // namespace dynacc::cpu
