// The two float8 formats, by their bits, and their conversions: e4m3fn and e5m2 of the OCP 8-bit
// Floating Point Specification (OFP8, revision 1.0), as the package ml_dtypes, JAX and PyTorch have
// them.
//
//            exponent bias  mantissa  largest  smallest normal, subnormal   infinity  NaN
//   e4m3fn   4 bits, 7      3 bits    448      2^-6, 2^-9                   none      S.1111.111
//   e5m2     5 bits, 15     2 bits    57344    2^-14, 2^-16                 S.11111.00  S.11111.xx
//
// Conversions to them round to nearest, ties to even. What is then too large is not saturated: of
// e5m2 an infinity, of e4m3fn, which has none, a NaN, as an infinity itself. A NaN keeps its sign.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "runtime/tensor/round_to_odd.h"

namespace dynacc {

struct Float8E4M3FN {
  uint8_t bits = 0;
};

struct Float8E5M2 {
  uint8_t bits = 0;
};

template <typename T>
concept Float8Type = std::same_as<T, Float8E4M3FN> || std::same_as<T, Float8E5M2>;

namespace float8_internal {

template <Float8Type T>
struct Format;
template <>
struct Format<Float8E4M3FN> {
  static constexpr int kMantissa = 3, kBias = 7;
  static constexpr uint32_t kLargest = 0x7e, kBeyond = 0x7f, kNan = 0x7f;
};
template <>
struct Format<Float8E5M2> {
  static constexpr int kMantissa = 2, kBias = 15;
  static constexpr uint32_t kLargest = 0x7b, kBeyond = 0x7c, kNan = 0x7e;
};

// Of float32.
inline constexpr int kMantissa = 23, kBias = 127;
inline constexpr uint32_t kSign = 0x80000000u, kInfinity = 0x7f800000u, kQuiet = 0x00400000u;

}  // namespace float8_internal

// Exact; a NaN is quiet.
template <Float8Type T>
float ToFloat(T value) {
  using namespace float8_internal;  // NOLINT(google-build-using-namespace): of this header
  using F = Format<T>;
  constexpr int kShift = kMantissa - F::kMantissa;
  constexpr uint32_t kRebase = uint32_t{kBias - F::kBias} << kMantissa;
  constexpr uint32_t kNormal = uint32_t{1} << F::kMantissa;
  constexpr float kStep = 1 / static_cast<float>(uint64_t{1} << (F::kBias + F::kMantissa - 1));
  const uint32_t sign = uint32_t{value.bits & 0x80u} << 24;
  const uint32_t magnitude = value.bits & 0x7fu;
  uint32_t bits = (magnitude << kShift) + kRebase;
  if (magnitude > F::kLargest) bits = kInfinity | (magnitude == 0x7c ? 0 : kQuiet);
  if (magnitude < kNormal) bits = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * kStep);
  return std::bit_cast<float>(sign | bits);
}

template <Float8Type T>
T ToFloat8(float value) {
  using namespace float8_internal;  // NOLINT(google-build-using-namespace): of this header
  using F = Format<T>;
  constexpr int kDropped = kMantissa - F::kMantissa;
  constexpr uint32_t kRebase = uint32_t{kBias - F::kBias} << F::kMantissa;
  constexpr uint32_t kSmallestNormal = uint32_t{kBias - F::kBias + 1} << kMantissa;
  // Added to a subnormal number, it lets the sum's last bit be the format's smallest number.
  constexpr float kAligns = static_cast<float>(uint64_t{1} << (kMantissa + 1)) /
                            static_cast<float>(uint64_t{1} << (F::kBias + F::kMantissa));
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & ~kSign;
  const uint32_t half = (uint32_t{1} << (kDropped - 1)) - 1 + (magnitude >> kDropped & 1);
  uint32_t rounded = ((magnitude + half) >> kDropped) - kRebase;
  if (magnitude < kSmallestNormal) {
    const float aligned = std::bit_cast<float>(magnitude) + kAligns;
    rounded = std::bit_cast<uint32_t>(aligned) - std::bit_cast<uint32_t>(kAligns);
  } else if (magnitude > kInfinity) {
    rounded = F::kNan;
  } else if (rounded > F::kLargest) {
    rounded = F::kBeyond;
  }
  return {static_cast<uint8_t>((bits >> 24 & 0x80u) | rounded)};
}

// The same at once from double.
template <Float8Type T>
T ToFloat8(double value) {
  return ToFloat8<T>(RoundToOdd(value));
}

}  // namespace dynacc
