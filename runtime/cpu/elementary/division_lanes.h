// The loops of division_kernels.h for one instruction-set level. Included by one source a level;
// plain loops over blocks, which the compiler makes vectors of.
//
// fmod(a, b) is exact. With q = trunc(fl(a / b)), |a / b| below 2^(digits - 1), q is right or one
// too great, as no quotient of two numbers is nearer to an integer from below than that; so a - q b
// is exact, too, and one b more at most is to be added. What is done with it is NumPy's npy_divmod
// (numpy/core/src/npymath/npy_math_internal.h.src, 1.24), operation by operation.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/cpu/elementary/division_kernels.h"

namespace dynacc::cpu {
namespace {

enum class Kind { kRemainder, kFloorDivide, kFmod };

struct FloatForm {
  using Number = float;
  using Bits = int32_t;
  static constexpr int kDigits = 24;
  static float Truncate(float x) { return __builtin_truncf(x); }
  static float Floor(float x) { return __builtin_floorf(x); }
  static float Fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
};

struct DoubleForm {
  using Number = double;
  using Bits = int64_t;
  static constexpr int kDigits = 53;
  static double Truncate(double x) { return __builtin_trunc(x); }
  static double Floor(double x) { return __builtin_floor(x); }
  static double Fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

template <typename Form>
struct FloatDivision {
  using Number = typename Form::Number;
  using Bits = typename Form::Bits;
  static constexpr int kMantissaBits = Form::kDigits - 1;
  static constexpr Bits kSign = static_cast<Bits>(uint64_t{1} << (sizeof(Bits) * 8 - 1));
  static constexpr Bits kOne = Bits(1)
                               << kMantissaBits;  // of the exponent; the least normal number
  static constexpr Bits kInfinity =
      sizeof(Bits) == 4 ? Bits(0x7f800000) : static_cast<Bits>(0x7ff0000000000000);

  static Bits BitsOf(Number x) { return __builtin_bit_cast(Bits, x); }
  static Number FromBits(Bits bits) { return __builtin_bit_cast(Number, bits); }
  static Bits Magnitude(Number x) { return BitsOf(x) & ~kSign; }
  static Number WithSign(Number magnitude, Bits sign) {
    return FromBits((BitsOf(magnitude) & ~kSign) | (sign & kSign));
  }

  // By the bits, so that no flag is raised.
  static bool IsSpecial(Number a, Number b) {
    const Bits x = Magnitude(a), y = Magnitude(b);
    return (x >= kInfinity) | (y >= kInfinity) | (y < kOne) | (x - y >= (kMantissaBits - 1) * kOne);
  }

  // |fmod(a, b)|
  static Number Rest(Number a, Number b) {
    const Bits x = Magnitude(a), y = Magnitude(b);
    const bool is_less = x < y;
    const Number divisor = FromBits(y);
    const Number dividend = FromBits(is_less ? y : x);
    const Number quotient = Form::Truncate(dividend / divisor);
    const Number rest = Form::Fused(-quotient, divisor, dividend);
    const Number exact = rest + (rest < 0 ? divisor : Number(0));
    return is_less ? FromBits(x) : exact;
  }

  static bool IsOff(Number rest, Number a, Number b) {
    return (rest != 0) & ((BitsOf(a) ^ BitsOf(b)) < 0);
  }

  // Of remainder and fmod.
  template <Kind kKind>
  static Number Lane(Number a, Number b) {
    const Number rest = Rest(a, b);
    const Number mod = WithSign(rest, BitsOf(a));
    if constexpr (kKind == Kind::kFmod) return mod;
    const Number moved = mod + (IsOff(rest, a, b) ? b : Number(0));
    return rest == 0 ? WithSign(Number(0), BitsOf(b)) : moved;
  }

  static Number Quotient(Number a, Number b) {
    const Number rest = Rest(a, b);
    return (a - WithSign(rest, BitsOf(a))) / b - (IsOff(rest, a, b) ? Number(1) : Number(0));
  }

  static void FloorDivide(const Number* a, const Number* b, Number* result) {
    Number dividends[kDivisionBlock];
    for (int64_t i = 0; i < kDivisionBlock; ++i) {
      result[i] = Quotient(a[i], b[i]);
      dividends[i] = result[i] == 0 ? a[i] : b[i];
    }
    // Of a quotient that is 0 the sign of a / b counts, and that this may underflow. The compiler
    // must not divide the other dividends, too.
    asm volatile("" : "+m"(dividends));
    for (int64_t i = 0; i < kDivisionBlock; ++i) {
      const Number small = dividends[i] / b[i];
      const Number floor = Form::Floor(result[i]);
      const Number nearest = floor + (result[i] - floor > Number(0.5) ? Number(1) : Number(0));
      result[i] = result[i] == 0 ? WithSign(Number(0), BitsOf(small)) : nearest;
    }
  }

  template <Kind kKind>
  static void Block(const Number* a, const Number* b, Number* result) {
    if constexpr (kKind == Kind::kFloorDivide) {
      FloorDivide(a, b, result);
    } else {
      for (int64_t i = 0; i < kDivisionBlock; ++i) result[i] = Lane<kKind>(a[i], b[i]);
    }
  }
};

template <typename T>
struct IntDivision {
  using Number = T;

  // Beyond these float64 does not hold the numbers.
  static constexpr int64_t kMost = int64_t{1} << 53;

  static bool IsSpecial(T a, T b) {
    if constexpr (sizeof(T) == 8) {
      const bool is_large = (static_cast<uint64_t>(a) + kMost >= 2 * uint64_t{kMost}) |
                            (static_cast<uint64_t>(b) + kMost >= 2 * uint64_t{kMost});
      return is_large | (b == 0);
    } else {
      return (b == 0) | ((b == -1) & (a == -2147483647 - 1));
    }
  }

  template <Kind kKind>
  static T Lane(T a, T b) {
    // Truncates to the quotient itself: no other is near enough to be rounded to an integer.
    const T quotient = static_cast<T>(static_cast<double>(a) / static_cast<double>(b));
    const T rest = a - quotient * b;
    if constexpr (kKind == Kind::kFmod) return rest;
    const bool is_off = (rest != 0) & ((rest ^ b) < 0);
    if constexpr (kKind == Kind::kRemainder) return rest + (is_off ? b : 0);
    return quotient - (is_off ? 1 : 0);
  }

  template <Kind kKind>
  static void Block(const T* a, const T* b, T* result) {
    for (int64_t i = 0; i < kDivisionBlock; ++i) result[i] = Lane<kKind>(a[i], b[i]);
  }
};

template <typename Divide, Kind kKind>
int64_t RunDivision(const char* a, const char* b, int64_t b_step, int64_t count, char* out) {
  using T = typename Divide::Number;
  constexpr int64_t kBytes = kDivisionBlock * sizeof(T);
  alignas(64) T x[kDivisionBlock], y[kDivisionBlock], result[kDivisionBlock];
  if (b_step == 0) {
    T number;
    std::memcpy(&number, b, sizeof(T));
    for (int64_t i = 0; i < kDivisionBlock; ++i) y[i] = number;
  }
  for (int64_t at = 0; at < count; at += kDivisionBlock) {
    std::memcpy(x, a + at * sizeof(T), kBytes);
    if (b_step != 0) std::memcpy(y, b + at * sizeof(T), kBytes);
    int special = 0;
    for (int64_t i = 0; i < kDivisionBlock; ++i) special |= Divide::IsSpecial(x[i], y[i]);
    if (special != 0) return at;
    Divide::template Block<kKind>(x, y, result);
    std::memcpy(out + at * sizeof(T), result, kBytes);
  }
  return count;
}

template <typename Divide>
constexpr DivisionFns DivisionFnsOf() {
  return {&RunDivision<Divide, Kind::kRemainder>, &RunDivision<Divide, Kind::kFloorDivide>,
          &RunDivision<Divide, Kind::kFmod>};
}

}  // namespace
}  // namespace dynacc::cpu
