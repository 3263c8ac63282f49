// Floating-point errors that operations raise, as NumPy's error categories.
#pragma once

#include <cfenv>
#include <cstdint>

namespace dynacc {

enum FpFlag : uint32_t {
  kFpDivide = 1,
  kFpOverflow = 2,
  kFpUnderflow = 4,
  kFpInvalid = 8,
};

// FpFlags as bits of <cfenv>, and back.
constexpr uint32_t HardwareFlagsOf(uint32_t flags) {
  return ((flags & kFpDivide) ? FE_DIVBYZERO : 0u) | ((flags & kFpOverflow) ? FE_OVERFLOW : 0u) |
         ((flags & kFpUnderflow) ? FE_UNDERFLOW : 0u) | ((flags & kFpInvalid) ? FE_INVALID : 0u);
}
constexpr uint32_t FpFlagsOf(uint32_t hardware) {
  return ((hardware & FE_DIVBYZERO) ? kFpDivide : 0u) |
         ((hardware & FE_OVERFLOW) ? kFpOverflow : 0u) |
         ((hardware & FE_UNDERFLOW) ? kFpUnderflow : 0u) |
         ((hardware & FE_INVALID) ? kFpInvalid : 0u);
}

inline constexpr uint32_t kAllFpFlags = kFpDivide | kFpOverflow | kFpUnderflow | kFpInvalid;

}  // namespace dynacc
