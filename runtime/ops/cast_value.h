// CastValue: ndarray.astype(casting="unsafe") of one value.
//
// C++ leaves a float that does not fit an integer type undefined. NumPy inherits what x86-64 does,
// which this writes out: conversion to i64 (or to i32, for types of up to 32 bits signed and 16
// bits unsigned) gives the lowest integer if the value does not fit, and the low bits are kept.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/tensor/element_types.h"

namespace dynacc {

// cvttsd2si: truncation; the lowest integer and FE_INVALID if the value does not fit.
template <typename Int, typename Float>
Int TruncateLikeX86(Float x) {
  constexpr Float kLimit = static_cast<Float>(uint64_t{1} << (sizeof(Int) * 8 - 1));
  // -kLimit - 1 and above still truncate to the lowest integer; it may round to -kLimit itself.
  const bool fits = x < kLimit && (x >= -kLimit || x > -kLimit - 1);
  if (fits) return static_cast<Int>(x);
  std::feraiseexcept(FE_INVALID);
  return std::numeric_limits<Int>::min();
}

template <typename To, typename From>
To CastFloatToInt(From x) {
  if constexpr (std::is_same_v<To, uint64_t>) {
    constexpr From kHalf = static_cast<From>(uint64_t{1} << 63);
    if (!(x >= kHalf)) return static_cast<uint64_t>(TruncateLikeX86<int64_t>(x));
    return static_cast<uint64_t>(TruncateLikeX86<int64_t>(x - kHalf)) ^ (uint64_t{1} << 63);
  } else if constexpr (std::is_same_v<To, uint32_t>) {
    // NumPy's vector code reports some values out of range as invalid that its scalar code does
    // not: reported always, so that such a stretch is run by NumPy itself.
    if (!(x >= From(-2147483648.0) && x < From(4294967296.0))) std::feraiseexcept(FE_INVALID);
    return static_cast<To>(TruncateLikeX86<int64_t>(x));
  } else if constexpr (std::is_same_v<To, int64_t>) {
    return static_cast<To>(TruncateLikeX86<int64_t>(x));
  } else {
    return static_cast<To>(TruncateLikeX86<int32_t>(x));
  }
}

// Halves go by way of float, but from double at once; to bfloat16 and float8 everything goes by way
// of double, from float at once; complex numbers lose or gain an imaginary part, and are true if
// either part is.
template <typename To, typename From>
To CastValue(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (ShortFloatType<From>) {
    return CastValue<To>(ToFloat(x));
  } else if constexpr (ComplexType<From> && ComplexType<To>) {
    using Part = typename To::value_type;
    return To(static_cast<Part>(x.real()), static_cast<Part>(x.imag()));
  } else if constexpr (ComplexType<From> && std::is_same_v<To, bool>) {
    // Both are looked at, as by NumPy's loops: a signalling NaN raises a flag in either.
    const int real = x.real() != 0;
    const int imag = x.imag() != 0;
    return (real | imag) != 0;
  } else if constexpr (ComplexType<From>) {
    return CastValue<To>(x.real());
  } else if constexpr (ComplexType<To>) {
    return To(CastValue<typename To::value_type>(x));
  } else if constexpr (HalfType<To> && std::is_same_v<From, double>) {
    return ToHalf(x);
  } else if constexpr (HalfType<To>) {
    return ToHalf(static_cast<float>(x));
  } else if constexpr (LowPrecisionType<To> && std::is_same_v<From, float>) {
    return ToLowPrecision<To>(x);
  } else if constexpr (LowPrecisionType<To>) {
    return ToLowPrecision<To>(static_cast<double>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return CastFloatToInt<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace dynacc
