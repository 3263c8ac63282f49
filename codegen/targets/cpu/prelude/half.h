// The prelude, part 7: halves. Arithmetic is done in float and rounded after each operation, as
// NumPy's loops do it. A module that has none of them leaves this out.
#if defined(DYNACC_HALF)

DYNACC_INLINE bool AnyLane(I32 mask) { return __builtin_reduce_or(mask) != 0; }
// Flags of MXCSR.
constexpr uint32_t kOverflowFlag = 0x08;
constexpr uint32_t kUnderflowFlag = 0x10;
DYNACC_INLINE void RaiseIf(I32 mask, uint32_t flag) {
  if (AnyLane(mask)) __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | flag);
}

struct F16 {
  U16 bits;

  F16() = default;
  [[gnu::always_inline]] explicit F16(U16 bits) : bits(bits) {}
  [[gnu::always_inline]] explicit F16(int value) : bits(Round(F32(value)).bits) {}

#if defined(__F16C__)
  typedef _Float16 Lanes __attribute__((ext_vector_type(kLanes)));
  DYNACC_INLINE U16 RoundedBits(F32 a) {
    // NumPy has an underflow also where rounding gives the smallest normal, 2^-14.
    RaiseIf((Bits(Abs(a)) - U32(0x387ff000u)) < U32(0x1000u), kUnderflowFlag);
    return __builtin_bit_cast(U16, __builtin_convertvector(a, Lanes));
  }
  [[gnu::always_inline]] F32 Wide() const {
    return __builtin_convertvector(__builtin_bit_cast(Lanes, bits), F32);
  }
#else
  // Of normal results: by integer arithmetic. Of smaller ones: an addition rounds at the right bit.
  DYNACC_INLINE U16 RoundedBits(F32 a) {
    const U32 sign = Bits(a) >> 31 << 15, magnitude = Bits(a) & U32(0x7fffffffu);
    const auto is_nan = magnitude > U32(0x7f800000u), is_small = magnitude < U32(0x38800000u);
    const F32 small = FromBits<F32>(Select(is_small, magnitude, U32(0)));
    const U32 subnormal = Bits(small + F32(0.5f)) - U32(0x3f000000u);
    const U32 odd = magnitude >> 13 & U32(1);
    const U32 rounded = (magnitude + U32(0xfffu) + odd - U32(112u << 23)) >> 13;
    const auto is_large = (magnitude >= U32(0x477ff000u)) & ~is_nan;
    const U32 normal = Select(is_large, U32(0x7c00u), rounded);
    const U32 nan = U32(0x7e00u) | (magnitude >> 13 & U32(0x3ffu));
    RaiseIf(is_large & (magnitude < U32(0x7f800000u)), kOverflowFlag);
    const F32 exact = __builtin_convertvector(subnormal, F32) * F32(0x1p-24f);
    RaiseIf(is_small & (exact != small), kUnderflowFlag);
    return __builtin_convertvector(sign | Select(is_nan, nan, Select(is_small, subnormal, normal)),
                                   U16);
  }
  [[gnu::always_inline]] F32 Wide() const {
    const U32 wide = __builtin_convertvector(bits, U32);
    const U32 sign = wide >> 15 << 31, magnitude = wide & U32(0x7fffu);
    const U32 small = Bits(__builtin_convertvector(magnitude, F32) * F32(0x1p-24f));
    const U32 special = U32(0x7f800000u) | magnitude << 13;
    const U32 normal = (magnitude << 13) + U32(112u << 23);
    const U32 finite = Select(magnitude < U32(0x400u), small, normal);
    return FromBits<F32>(sign | Select(magnitude >= U32(0x7c00u), special, finite));
  }
#endif

  DYNACC_INLINE F16 Round(F32 a) { return F16(RoundedBits(a)); }
  DYNACC_INLINE F16 RoundWide(F64 a) { return Round(RoundToOdd(a)); }
};

template <>
constexpr bool kIsHalf<F16> = true;
DYNACC_VECTOR_TYPE(F16, uint16_t, false, I16, U16)

template <>
struct Vectors<F16> {
  DYNACC_INLINE F16 Load(const char* from) { return F16(Vectors<U16>::Load(from)); }
  DYNACC_INLINE void Store(char* to, F16 value) { Vectors<U16>::Store(to, value.bits); }
};

DYNACC_INLINE F16 operator+(F16 a, F16 b) { return F16::Round(a.Wide() + b.Wide()); }
DYNACC_INLINE F16 operator-(F16 a, F16 b) { return F16::Round(a.Wide() - b.Wide()); }
DYNACC_INLINE F16 operator*(F16 a, F16 b) { return F16::Round(a.Wide() * b.Wide()); }
DYNACC_INLINE F16 operator/(F16 a, F16 b) { return F16::Round(a.Wide() / b.Wide()); }
DYNACC_INLINE F16 operator-(F16 a) { return F16(a.bits ^ U16(0x8000)); }
DYNACC_INLINE F16 Abs(F16 a) { return F16(a.bits & U16(0x7fff)); }
DYNACC_INLINE F16 Sqrt(F16 a) { return F16::Round(Sqrt(a.Wide())); }
DYNACC_INLINE F16 Floor(F16 a) { return F16::Round(Floor(a.Wide())); }
DYNACC_INLINE F16 Ceil(F16 a) { return F16::Round(Ceil(a.Wide())); }
DYNACC_INLINE F16 Trunc(F16 a) { return F16::Round(Trunc(a.Wide())); }
DYNACC_INLINE F16 Rint(F16 a) { return F16::Round(Rint(a.Wide())); }
DYNACC_INLINE F16 Copysign(F16 a, F16 b) {
  return F16((a.bits & U16(0x7fff)) | (b.bits & U16(0x8000)));
}

DYNACC_INLINE auto IsInf(F16 a) { return Abs(a).bits == U16(0x7c00); }
DYNACC_INLINE auto IsFinite(F16 a) { return Abs(a).bits < U16(0x7c00); }
DYNACC_INLINE auto IsNan(F16 a) { return Abs(a).bits > U16(0x7c00); }
DYNACC_INLINE auto SignBit(F16 a) { return a.bits >= U16(0x8000); }

DYNACC_INLINE auto operator==(F16 a, F16 b) { return a.Wide() == b.Wide(); }
DYNACC_INLINE auto operator!=(F16 a, F16 b) { return a.Wide() != b.Wide(); }
DYNACC_INLINE auto Less(F16 a, F16 b) { return Less(a.Wide(), b.Wide()); }
DYNACC_INLINE auto LessEqual(F16 a, F16 b) { return LessEqual(a.Wide(), b.Wide()); }

// Of equal operands the first, of NaNs the first.
DYNACC_INLINE F16 ChooseHalf(I32 first, F16 a, F16 b) {
  return F16(Select(__builtin_convertvector(first, I16), a.bits, b.bits));
}
DYNACC_INLINE F16 Maximum(F16 a, F16 b) {
  return ChooseHalf(LessEqual(b, a) | (a != a), a, b);
}
DYNACC_INLINE F16 Minimum(F16 a, F16 b) {
  return ChooseHalf(LessEqual(a, b) | (a != a), a, b);
}
DYNACC_INLINE F16 Where(Bool condition, F16 a, F16 b) {
  return F16(Select(MaskOf<U16>(condition), a.bits, b.bits));
}

#endif  // DYNACC_HALF
