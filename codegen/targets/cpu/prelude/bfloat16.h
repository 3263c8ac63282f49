// The prelude, part 7b: bfloat16. It is moved and converted, and nothing else: what is computed with
// it is computed in F32 between conversions. A module that has none of it leaves this out.
#if defined(DYNACC_BFLOAT16)

struct Bf16 {
  U16 bits;

  Bf16() = default;
  [[gnu::always_inline]] explicit Bf16(U16 bits) : bits(bits) {}

  [[gnu::always_inline]] F32 Wide() const {
    return FromBits<F32>(__builtin_convertvector(bits, U32) << 16);
  }
  // To nearest, ties to even; of a NaN the sign and the top bits are kept, and it is quiet. By integer
  // arithmetic: the processor's own instruction takes subnormals for 0.
  DYNACC_INLINE Bf16 Round(F32 a) {
    const U32 bits = Bits(a);
    const U32 rounded = (bits + U32(0x7fffu) + (bits >> 16 & U32(1))) >> 16;
    const auto is_nan = (bits & U32(0x7fffffffu)) > U32(0x7f800000u);
    return Bf16(__builtin_convertvector(Select(is_nan, bits >> 16 | U32(0x40u), rounded), U16));
  }
  DYNACC_INLINE Bf16 RoundWide(F64 a) { return Round(RoundToOdd(a)); }
};

template <>
constexpr bool kIsHalf<Bf16> = true;
template <>
constexpr bool kIsLowPrecision<Bf16> = true;
DYNACC_VECTOR_TYPE(Bf16, uint16_t, false, I16, U16)

template <>
struct Vectors<Bf16> {
  DYNACC_INLINE Bf16 Load(const char* from) { return Bf16(Vectors<U16>::Load(from)); }
  DYNACC_INLINE void Store(char* to, Bf16 value) { Vectors<U16>::Store(to, value.bits); }
};

DYNACC_INLINE Bf16 Where(Bool condition, Bf16 a, Bf16 b) {
  return Bf16(Select(MaskOf<U16>(condition), a.bits, b.bits));
}

#endif  // DYNACC_BFLOAT16
