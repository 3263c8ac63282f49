// The CUDA prelude, part 4b: bfloat16. It is moved and converted, and nothing else: what is computed
// with it is computed in float between conversions. By integer arithmetic, as the instructions that
// convert are not on every device and make another NaN. Left out of a module that has none.
#if defined(DYNACC_BFLOAT16)

struct BFloat16 {
  unsigned short bits;

  BFloat16() = default;
  // To nearest, ties to even; of a NaN the sign and the top bits are kept, and it is quiet.
  DYNACC_MEMBER BFloat16(float value) {
    const uint32_t all = BitsOf<uint32_t>(value);
    const bool is_nan = (all & 0x7fffffffu) > 0x7f800000u;
    bits = static_cast<unsigned short>(
        is_nan ? (all >> 16 | 0x40u) : ((all + 0x7fffu + (all >> 16 & 1u)) >> 16));
  }
  DYNACC_MEMBER BFloat16(double value) : BFloat16(RoundToOdd(value)) {}
  DYNACC_MEMBER BFloat16(bool value) : BFloat16(static_cast<float>(value)) {}
  DYNACC_MEMBER BFloat16(int8_t value) : BFloat16(static_cast<float>(value)) {}
  DYNACC_MEMBER BFloat16(uint8_t value) : BFloat16(static_cast<float>(value)) {}
  DYNACC_MEMBER BFloat16(int16_t value) : BFloat16(static_cast<float>(value)) {}
  DYNACC_MEMBER BFloat16(uint16_t value) : BFloat16(static_cast<float>(value)) {}
  DYNACC_MEMBER BFloat16(int32_t value) : BFloat16(static_cast<double>(value)) {}
  DYNACC_MEMBER BFloat16(uint32_t value) : BFloat16(static_cast<double>(value)) {}
  DYNACC_MEMBER BFloat16(int64_t value) : BFloat16(static_cast<double>(value)) {}
  DYNACC_MEMBER BFloat16(uint64_t value) : BFloat16(static_cast<double>(value)) {}
  DYNACC_MEMBER operator float() const { return BitsOf<float>(static_cast<uint32_t>(bits) << 16); }
};
DYNACC_ELEMENT(BFloat16, true, true, float)

#endif  // DYNACC_BFLOAT16
