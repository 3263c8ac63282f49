// A double as a float from which it can be rounded once more.
#pragma once

#include <bit>
#include <cstdint>

namespace dynacc {

// Toward zero, and with an odd last bit where that is not exact: rounding it to a format with two
// bits of mantissa less gives what rounding the double would have given (S. Boldo, G. Melquiond,
// "Emulation of a FMA and correctly rounded sums", 2008). Beyond float's numbers its largest one; a
// NaN is one.
inline float RoundToOdd(double value) {
  const auto near = static_cast<float>(value);
  const auto back = static_cast<double>(near);
  if (back == value || value != value) return near;
  auto bits = std::bit_cast<uint32_t>(near);
  if ((back < 0 ? -back : back) > (value < 0 ? -value : value)) --bits;
  return std::bit_cast<float>(bits | 1);
}

}  // namespace dynacc
