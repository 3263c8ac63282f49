// The prelude, part 7c: float8, in the formats and with the roundings of runtime/tensor/float8.h. They
// are moved and converted, and nothing else, as bfloat16. A module that has none leaves this out.
#if defined(DYNACC_FLOAT8)

// kMantissa bits of mantissa; magnitudes above kLargest are kBeyond, NaNs kNan.
template <int kMantissa, int kBias, uint32_t kLargest, uint32_t kBeyond, uint32_t kNan>
struct Float8 {
  U8 bits;

  Float8() = default;
  [[gnu::always_inline]] explicit Float8(U8 bits) : bits(bits) {}

  [[gnu::always_inline]] F32 Wide() const {
    const U32 all = __builtin_convertvector(bits, U32), magnitude = all & U32(0x7fu);
    const U32 normal = (magnitude << kDropped) + U32(uint32_t(127 - kBias) << 23);
    const U32 special = Select(magnitude == U32(0x7cu), U32(0x7f800000u), U32(0x7fc00000u));
    const F32 step = FromBits<F32>(U32(uint32_t(128 - kBias - kMantissa) << 23));
    const U32 subnormal = Bits(__builtin_convertvector(magnitude, F32) * step);
    const U32 finite = Select(magnitude < U32(1u << kMantissa), subnormal, normal);
    return FromBits<F32>(Select(magnitude > U32(kLargest), special, finite) |
                         (all & U32(0x80u)) << 24);
  }
  // To nearest, ties to even. A subnormal number is rounded by the addition of one whose last bit is
  // worth the format's smallest.
  DYNACC_INLINE Float8 Round(F32 a) {
    const U32 all = Bits(a), magnitude = all & U32(0x7fffffffu);
    const U32 half = U32((1u << (kDropped - 1)) - 1u) + (magnitude >> kDropped & U32(1));
    const U32 rebase = U32(uint32_t(127 - kBias) << kMantissa);
    const U32 rounded = ((magnitude + half) >> kDropped) - rebase;
    const U32 normal = Select(rounded > U32(kLargest), U32(kBeyond), rounded);
    const F32 aligns = FromBits<F32>(U32(uint32_t(151 - kBias - kMantissa) << 23));
    const U32 subnormal = Bits(FromBits<F32>(magnitude) + aligns) - Bits(aligns);
    const U32 least = U32(uint32_t(128 - kBias) << 23);
    const U32 number = Select(magnitude < least, subnormal, normal);
    const U32 result = Select(magnitude > U32(0x7f800000u), U32(kNan), number);
    return Float8(__builtin_convertvector(result | (all >> 24 & U32(0x80u)), U8));
  }
  DYNACC_INLINE Float8 RoundWide(F64 a) { return Round(RoundToOdd(a)); }

 private:
  static constexpr int kDropped = 23 - kMantissa;
};

using F8e4m3fn = Float8<3, 7, 0x7e, 0x7f, 0x7f>;
using F8e5m2 = Float8<2, 15, 0x7b, 0x7c, 0x7e>;

#define DYNACC_FLOAT8_TYPE(T)                                                       \
  template <>                                                                       \
  constexpr bool kIsHalf<T> = true;                                                 \
  template <>                                                                       \
  constexpr bool kIsLowPrecision<T> = true;                                               \
  DYNACC_VECTOR_TYPE(T, uint8_t, false, I8, U8)                                     \
  template <>                                                                       \
  struct Vectors<T> {                                                               \
    DYNACC_INLINE T Load(const char* from) { return T(Vectors<U8>::Load(from)); }   \
    DYNACC_INLINE void Store(char* to, T value) { Vectors<U8>::Store(to, value.bits); } \
  };                                                                                \
  DYNACC_INLINE T Where(Bool condition, T a, T b) {                                 \
    return T(Select(MaskOf<U8>(condition), a.bits, b.bits));                        \
  }
DYNACC_FLOAT8_TYPE(F8e4m3fn)
DYNACC_FLOAT8_TYPE(F8e5m2)

#endif  // DYNACC_FLOAT8
