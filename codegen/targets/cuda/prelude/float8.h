// The CUDA prelude, part 4c: float8, in the formats and with the roundings of runtime/tensor/float8.h.
// They are moved and converted, and nothing else, as bfloat16; and by integer arithmetic, as the
// instructions that convert are not on every device, and saturate. Left out of a module that has none.
#if defined(DYNACC_FLOAT8)

// kMantissa bits of mantissa; magnitudes above kLargest are kBeyond, NaNs kNan.
template <int kMantissa, int kBias, uint32_t kLargest, uint32_t kBeyond, uint32_t kNan>
struct Float8 {
  unsigned char bits;

  Float8() = default;
  // To nearest, ties to even. A subnormal number is rounded by the addition of one whose last bit is
  // worth the format's smallest.
  DYNACC_MEMBER Float8(float value) {
    const uint32_t all = BitsOf<uint32_t>(value), magnitude = all & 0x7fffffffu;
    const uint32_t half = (1u << (kDropped - 1)) - 1u + (magnitude >> kDropped & 1u);
    uint32_t rounded = ((magnitude + half) >> kDropped) - (uint32_t(127 - kBias) << kMantissa);
    if (magnitude < uint32_t(128 - kBias) << 23) {
      const float aligns = BitsOf<float>(uint32_t(151 - kBias - kMantissa) << 23);
      rounded = BitsOf<uint32_t>(BitsOf<float>(magnitude) + aligns) - BitsOf<uint32_t>(aligns);
    } else if (magnitude > 0x7f800000u) {
      rounded = kNan;
    } else if (rounded > kLargest) {
      rounded = kBeyond;
    }
    bits = static_cast<unsigned char>((all >> 24 & 0x80u) | rounded);
  }
  DYNACC_MEMBER Float8(double value) : Float8(RoundToOdd(value)) {}
  DYNACC_MEMBER Float8(bool value) : Float8(static_cast<float>(value)) {}
  DYNACC_MEMBER Float8(int8_t value) : Float8(static_cast<float>(value)) {}
  DYNACC_MEMBER Float8(uint8_t value) : Float8(static_cast<float>(value)) {}
  DYNACC_MEMBER Float8(int16_t value) : Float8(static_cast<float>(value)) {}
  DYNACC_MEMBER Float8(uint16_t value) : Float8(static_cast<float>(value)) {}
  DYNACC_MEMBER Float8(int32_t value) : Float8(static_cast<double>(value)) {}
  DYNACC_MEMBER Float8(uint32_t value) : Float8(static_cast<double>(value)) {}
  DYNACC_MEMBER Float8(int64_t value) : Float8(static_cast<double>(value)) {}
  DYNACC_MEMBER Float8(uint64_t value) : Float8(static_cast<double>(value)) {}
  DYNACC_MEMBER operator float() const {
    const uint32_t magnitude = bits & 0x7fu;
    uint32_t wide = (magnitude << kDropped) + (uint32_t(127 - kBias) << 23);
    if (magnitude > kLargest) wide = magnitude == 0x7cu ? 0x7f800000u : 0x7fc00000u;
    if (magnitude < 1u << kMantissa) {
      const float step = BitsOf<float>(uint32_t(128 - kBias - kMantissa) << 23);
      wide = BitsOf<uint32_t>(static_cast<float>(magnitude) * step);
    }
    return BitsOf<float>(static_cast<uint32_t>(bits & 0x80u) << 24 | wide);
  }

 private:
  static constexpr int kDropped = 23 - kMantissa;
};

using Float8E4M3FN = Float8<3, 7, 0x7e, 0x7f, 0x7f>;
using Float8E5M2 = Float8<2, 15, 0x7b, 0x7c, 0x7e>;
DYNACC_ELEMENT(Float8E4M3FN, true, true, float)
DYNACC_ELEMENT(Float8E5M2, true, true, float)

#endif  // DYNACC_FLOAT8
