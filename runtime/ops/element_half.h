// The ops on halves: in float, and rounded, as NumPy's loops do them.
#pragma once

#include <concepts>

#include "runtime/ops/element_binary.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::element {

template <typename OpStruct>
struct HalfOf {
  static auto Rounded(float value) { return ToHalf(value); }
  static bool Rounded(bool value) { return value; }

  static auto Apply(HalfType auto a) requires requires { OpStruct::Apply(float()); }
  { return Rounded(OpStruct::Apply(ToFloat(a))); }
  static auto Apply(HalfType auto a, HalfType auto b) requires requires {
    OpStruct::Apply(float(), float());
  }
  { return Rounded(OpStruct::Apply(ToFloat(a), ToFloat(b))); }
};

// The neighbour of `a` towards `b`.
template <>
struct HalfOf<Nextafter> {
  static Half Apply(HalfType auto a, HalfType auto b) {
    const float x = ToFloat(a);
    const float y = ToFloat(b);
    if (std::isnan(x) || std::isnan(y)) return ToHalf(x + y);
    if (x == y) return b;
    if (x == 0) return {static_cast<uint16_t>((b.bits & 0x8000u) | 1)};
    const bool grows = (x < y) == (x > 0);
    return {static_cast<uint16_t>(a.bits + (grows ? 1 : -1))};
  }
};

template <>
struct HalfOf<Spacing> {
  static Half Apply(HalfType auto a) {
    const float x = ToFloat(a);
    if (!std::isfinite(x)) return ToHalf(x - x);
    const Half beyond{static_cast<uint16_t>(a.bits + 1)};
    return ToHalf(ToFloat(beyond) - x);
  }
};

}  // namespace dynacc::element
