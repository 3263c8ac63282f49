// The C++ types of elements that C++ itself lacks: short floats and complex numbers.
#pragma once

#include <bit>
#include <cfenv>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "runtime/tensor/float8.h"
#include "runtime/tensor/round_to_odd.h"

namespace dynacc {

// Complex numbers lie in memory as in NumPy: the real part, then the imaginary one, aligned as a
// part is.
using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

// IEEE binary16, by its bits. Arithmetic is done in float and rounded, as NumPy does it.
struct Half {
  uint16_t bits = 0;
};

// bfloat16, by its bits: the upper half of a float32.
struct BFloat16 {
  uint16_t bits = 0;
};

namespace half_internal {

// The layout of the wider formats: mantissa bits, exponent bias, and halves' smallest normal and
// first too large magnitudes.
template <typename Float>
struct Format;
template <>
struct Format<float> {
  using Bits = uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr int kBias = 127;
};
template <>
struct Format<double> {
  using Bits = uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr int kBias = 1023;
};

inline constexpr int kHalfMantissa = 10;
inline constexpr int kHalfBias = 15;
inline constexpr uint16_t kHalfInfinity = 0x7c00;

// `value` shifted right, rounded to nearest, ties to even; `by` from 1 to 63.
template <std::unsigned_integral Bits>
Bits ShiftRounded(Bits value, int by) {
  const Bits half = Bits{1} << (by - 1);
  const Bits rest = value & ((Bits{1} << by) - 1);
  const Bits shifted = value >> by;
  return shifted + Bits{rest > half || (rest == half && (shifted & 1) != 0)};
}

}  // namespace half_internal

// Exact. A signalling NaN stays one.
inline float ToFloat(Half half) {
  using namespace half_internal;  // NOLINT(google-build-using-namespace): of this header
  const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000u) << 16;
  const uint32_t magnitude = half.bits & 0x7fffu;
  uint32_t bits;
  if (magnitude >= kHalfInfinity) {
    bits = 0x7f800000u | (magnitude & 0x3ffu) << 13;
  } else if (magnitude >= 0x400u) {
    bits = (magnitude << 13) + ((127u - kHalfBias) << 23);
  } else {
    bits = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  }
  return std::bit_cast<float>(sign | bits);
}

// Rounded to nearest, ties to even, from float or double at once. Raises the overflow and underflow
// flags as npy_floatbits_to_halfbits and npy_doublebits_to_halfbits do (NumPy 1.24, halffloat.c):
// underflow for what is inexact and less than the smallest normal before rounding. Of a NaN the top
// bits are kept.
template <std::floating_point Float>
Half ToHalf(Float value) {
  using namespace half_internal;  // NOLINT(google-build-using-namespace): of this header
  using F = Format<Float>;
  using Bits = typename F::Bits;
  constexpr int kDropped = F::kMantissa - kHalfMantissa;
  constexpr Bits kInfinity = (Bits{2} * F::kBias + 1) << F::kMantissa;
  constexpr Bits kSmallestNormal = Bits{F::kBias - kHalfBias + 1} << F::kMantissa;
  const Bits bits = std::bit_cast<Bits>(value);
  const auto sign = static_cast<uint16_t>(bits >> (sizeof(Bits) * 8 - 16) & 0x8000u);
  const Bits magnitude = bits & ~(Bits{1} << (sizeof(Bits) * 8 - 1));
  uint16_t half;
  if (magnitude > kInfinity) {
    half = static_cast<uint16_t>(kHalfInfinity | (magnitude >> kDropped & 0x3ffu));
    if (half == kHalfInfinity) ++half;  // a NaN must not become an infinity
  } else if (magnitude == kInfinity) {
    half = kHalfInfinity;
  } else if (magnitude >= kSmallestNormal) {
    const Bits rounded = ShiftRounded(magnitude, kDropped);
    const Bits rebased = rounded - (Bits{F::kBias - kHalfBias} << kHalfMantissa);
    half = static_cast<uint16_t>(rebased < kHalfInfinity ? rebased : kHalfInfinity);
    if (half == kHalfInfinity) std::feraiseexcept(FE_OVERFLOW);
  } else {
    const int exponent = static_cast<int>(magnitude >> F::kMantissa);
    const Bits one = Bits{1} << F::kMantissa;
    const int shift = kDropped + (F::kBias - kHalfBias + 1) - exponent;
    const Bits significand = (magnitude & (one - 1)) | one;
    const bool vanishes = exponent == 0 || shift > F::kMantissa + 1;
    half = vanishes ? 0 : static_cast<uint16_t>(ShiftRounded(significand, shift));
    const bool exact = vanishes ? magnitude == 0 : (significand & ((Bits{1} << shift) - 1)) == 0;
    if (!exact) std::feraiseexcept(FE_UNDERFLOW);
  }
  return {static_cast<uint16_t>(sign | half)};
}

// Exact.
inline float ToFloat(BFloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

// Rounded to nearest, ties to even. Of a NaN the sign and the top bits are kept, and it is quiet.
inline BFloat16 ToBFloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  const uint32_t quiet = bits >> 16 | 0x40u;
  return {static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded)};
}

// The same at once from double.
inline BFloat16 ToBFloat16(double value) { return ToBFloat16(RoundToOdd(value)); }

// To one of the formats that are only moved and converted, at once from float or double.
template <typename Narrow, std::floating_point Float>
Narrow ToLowPrecision(Float value) {
  if constexpr (std::same_as<Narrow, BFloat16>) {
    return ToBFloat16(value);
  } else {
    return ToFloat8<Narrow>(value);
  }
}

template <typename T>
concept HalfType = std::same_as<T, Half>;
template <typename T>
concept LowPrecisionType = std::same_as<T, BFloat16> || Float8Type<T>;
template <typename T>
concept ShortFloatType = std::same_as<T, Half> || LowPrecisionType<T>;
template <typename T>
concept ComplexType = std::same_as<T, Complex64> || std::same_as<T, Complex128>;

}  // namespace dynacc
