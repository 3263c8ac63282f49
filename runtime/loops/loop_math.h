// The arithmetic of loop programs' ops (loop_ops.def): what Python's and NumPy's numbers give.
//
// Functions that return bool say whether they could set `*result`; if not, Python has something to
// say: an error, a warning, or a number that is no int64_t. Included by compiled loops too, so
// nothing but the standard's mathematics is used here.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace dynacc::loops::loop_math {

inline constexpr int64_t kLeastInt = INT64_MIN;
inline constexpr int64_t kExactInt = int64_t{1} << 53;

inline bool IsFinite(double x) { return std::fabs(x) <= DBL_MAX; }

// Whether it is a NaN of which every operation sets the flag invalid.
inline bool IsSignalling(double x) {
  constexpr uint64_t kQuiet = uint64_t{1} << 51;
  if (__builtin_expect(static_cast<long>(std::isnan(x)), 0) == 0) return false;
  return (__builtin_bit_cast(uint64_t, x) & kQuiet) == 0;
}

// What loaded elements are in a register. A conversion would make a signalling NaN a quiet one,
// and whoever uses it has to see that it signals.
template <typename T>
inline T InRegister(T element) {
  return element;
}
inline double InRegister(float element) {
  if (__builtin_expect(static_cast<long>(std::isnan(element)), 0) == 0) return element;
  const uint32_t bits = __builtin_bit_cast(uint32_t, element);
  const uint64_t sign = bits >> 31;
  const uint64_t exponent = 0x7ff;
  const uint64_t mantissa = bits & 0x7fffff;
  return __builtin_bit_cast(double, sign << 63 | exponent << 52 | mantissa << 29);
}

// The element of a register, in its type.
template <typename T>
inline T AsElement(int64_t number) {
  return static_cast<T>(number);
}
template <typename T>
inline T AsElement(double number) {
  return static_cast<T>(number);
}
template <>
inline float AsElement<float>(double number) {
  if (!IsSignalling(number)) return static_cast<float>(number);
  const uint64_t bits = __builtin_bit_cast(uint64_t, number);
  const auto sign = static_cast<uint32_t>(bits >> 63);
  const auto mantissa = static_cast<uint32_t>(bits >> 29) & 0x7fffff;
  return __builtin_bit_cast(float, sign << 31 | uint32_t{0xff} << 23 | mantissa);
}

// The callers of a function that is seldom called keep what they have in registers.
#ifdef __clang__
#define DYNACC_KEEPS_REGISTERS __attribute__((preserve_all))
#else
#define DYNACC_KEEPS_REGISTERS
#endif

// Of a `d` that is not finite.
[[gnu::noinline, gnu::cold]] DYNACC_KEEPS_REGISTERS inline bool RaisesIfNotFinite(double d,
                                                                                  double a,
                                                                                  double b) {
  if (!std::isnan(d)) return IsFinite(a) && IsFinite(b);
  return (!std::isnan(a) && !std::isnan(b)) || IsSignalling(a) || IsSignalling(b);
}

// Whether an operation that gave `d` of `a` and `b` has set the flag overflow, division by zero or
// invalid: infinities and NaNs that come of nothing else do, those that went in do not unless they
// signal. (Underflow is not looked at: a loop does not run where that is reported.)
[[gnu::always_inline]] inline bool Raises(double d, double a, double b) {
  if (__builtin_expect(static_cast<long>(IsFinite(d)), 1) != 0) return false;
  return RaisesIfNotFinite(d, a, b);
}

inline bool Divides(int64_t a, int64_t b) { return b != 0 && (b != -1 || a != kLeastInt); }
inline int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}
inline int64_t Modulo(int64_t a, int64_t b) {
  // An index that wraps around is mostly in range; a division takes ten times as long.
  if (!__builtin_constant_p(b) && a >= 0 && a < b) return a;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
inline bool Power(int64_t base, int64_t exponent, int64_t* result) {
  if (exponent < 0) return false;
  int64_t power = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(power, base, &power)) return false;
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return false;
  }
  *result = power;
  return true;
}
inline int64_t BitLength(int64_t a) {
  return a == 0 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(a < 0 ? -a : a));
}
inline bool ShiftLeft(int64_t a, int64_t count, int64_t* result) {
  if (count < 0 || count > 62) return false;
  return !__builtin_mul_overflow(a, int64_t{1} << count, result);
}

// As in float_divmod of CPython's floatobject.c and npy_divmod of NumPy's npymath, which agree.
inline bool Modulo(double a, double b, double* result) {
  if (b == 0 || !IsFinite(a) || !IsFinite(b)) return false;
  double rest = std::fmod(a, b);
  if (rest != 0) {
    if ((b < 0) != (rest < 0)) rest += b;
  } else {
    rest = std::copysign(0.0, b);
  }
  *result = rest;
  return true;
}
inline bool FloorDivide(double a, double b, double* result) {
  if (b == 0 || !IsFinite(a) || !IsFinite(b)) return false;
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (!IsFinite(quotient)) return false;
  if (quotient == 0) {
    *result = std::copysign(0.0, a / b);
    return true;
  }
  const double whole = std::floor(quotient);
  *result = quotient - whole > 0.5 ? whole + 1 : whole;
  return true;
}
// Whether the C library's pow gives for the exponent 2 what a product gives. Before it rounds, its
// error is below 0.011 units in the last place and 4.6e-5 more for each unit of the logarithm
// (glibc's sysdeps/ieee754/dbl-64/e_pow.c, musl's pow.c): 0.016 within the limits here. So it is
// the rounded product unless the exact one lies near the middle of two numbers.
inline bool SquareIsProduct([[maybe_unused]] double a) {
#ifdef __FMA__
  constexpr uint64_t kExponent = 0x7FF0000000000000;
  constexpr double kNearest = 0.48 * 0x1p-52;
  const double product = a * a;
  const double rest = __builtin_fma(a, a, -product);
  const double power_of_two =
      __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, product) & kExponent);
  const bool is_exact = product > 1e-40 && product < 1e40;
  return (is_exact && std::fabs(rest) <= kNearest * power_of_two) || a == 0;
#else
  return false;
#endif
}

// Not where it would cost the callers registers, as RaisesIfNotFinite.
[[gnu::noinline]] inline bool PowerByLibrary(double a, double b, double* result) {
  if (!IsFinite(a) || !IsFinite(b) || (a < 0 && b != std::floor(b)) || (a == 0 && b < 0)) {
    return false;
  }
  *result = std::pow(a, b);
  return IsFinite(*result) && (*result != 0 || a == 0);
}
// A power that is neither complex nor out of range.
[[gnu::always_inline]] inline bool Power(double a, double b, double* result) {
  if (b != 2 || __builtin_expect(static_cast<long>(SquareIsProduct(a)), 1) == 0) {
    return PowerByLibrary(a, b, result);
  }
  *result = a * a;
  return true;
}

inline bool Truncate(double a, int64_t* result) {
  if (!(std::fabs(a) < 0x1p63)) return false;
  *result = static_cast<int64_t>(a);
  return true;
}
// How many values range(start, stop, step) has. Not near the ends of int64_t, where the last value
// plus a step is none.
inline bool StartRange(int64_t start, int64_t stop, int64_t step, int64_t* count) {
  constexpr int64_t kFar = int64_t{1} << 61;
  if (step == 0 || start > kFar || start < -kFar || stop > kFar || stop < -kFar || step > kFar ||
      step < -kFar) {
    return false;
  }
  const int64_t extent = step > 0 ? stop - start : start - stop;
  const int64_t stride = step > 0 ? step : -step;
  *count = extent <= 0 ? 0 : (extent - 1) / stride + 1;
  return true;
}
// What start:stop:step takes of an axis of `size` elements, `stride` bytes apart, as Python clips
// it and NumPy counts it: bytes from the axis's first element to the part's, from element to
// element, and how many. step != 0; backwards, kLeastInt stops behind the first element.
inline void SliceAxis(int64_t size, int64_t stride, int64_t start, int64_t stop, int64_t step,
                      int64_t* first, int64_t* apart, int64_t* count) {
  const int64_t least = step > 0 ? 0 : -1;
  const int64_t most = step > 0 ? size : size - 1;
  if (start < 0) start = start + size < least ? least : start + size;
  if (stop < 0) stop = stop + size < least ? least : stop + size;
  if (start > most) start = most;
  if (stop > most) stop = most;
  const bool is_empty = step > 0 ? start >= stop : start <= stop;
  const int64_t way = step > 0 ? stop - start : start - stop;
  *count = is_empty ? 0 : (way - 1) / (step > 0 ? step : -step) + 1;
  *first = is_empty ? 0 : start * stride;
  // Of one element, too, of which the step may be greater than all memory.
  const auto bytes = static_cast<uint64_t>(step) * static_cast<uint64_t>(stride);
  *apart = is_empty ? stride : static_cast<int64_t>(bytes);
}
inline double DoubleAt(int64_t address) {
  double value;
  __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}
inline void SetDoubleAt(int64_t address, double value) {
  __builtin_memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
}
inline bool FitsSigned(int64_t a, int bits) {
  return a >= -(int64_t{1} << (bits - 1)) && a < int64_t{1} << (bits - 1);
}

}  // namespace dynacc::loops::loop_math
