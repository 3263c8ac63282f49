// The prelude, part 3: ordering. NumPy's comparisons, minimum, maximum and sign raise no
// floating-point flag on NaN, so these are quiet too; x86 compilers give the signalling form of
// < and <=.

#if defined(DYNACC_ORDER) || defined(DYNACC_HALF) || defined(DYNACC_COMPLEX)

#if defined(__AVX512F__) && defined(__AVX512DQ__) && DYNACC_LANES == 16
// vcmpps with a quiet predicate, 16 floats or 8 doubles at once, as bits of a mask register.
template <int kPredicate>
DYNACC_INLINE uint16_t QuietCompare16(F32 a, F32 b) {
  uint16_t mask;
  asm("vcmpps %3, %2, %1, %0" : "=Yk"(mask) : "v"(a), "v"(b), "i"(kPredicate));
  return mask;
}
typedef double F64x8 __attribute__((ext_vector_type(8)));
template <int kPredicate>
DYNACC_INLINE uint16_t QuietCompare16(F64 a, F64 b) {
  uint8_t low, high;
  asm("vcmppd %3, %2, %1, %0" : "=Yk"(low) : "v"(a.lo), "v"(b.lo), "i"(kPredicate));
  asm("vcmppd %3, %2, %1, %0" : "=Yk"(high) : "v"(a.hi), "v"(b.hi), "i"(kPredicate));
  return uint16_t(low | high << 8);
}
typedef bool MaskBits __attribute__((ext_vector_type(kLanes)));
template <int kPredicate, typename T>
DYNACC_INLINE auto QuietCompare(T a, T b) {
  using Mask = typename Traits<T>::Signed;
  const auto bits = __builtin_bit_cast(MaskBits, QuietCompare16<kPredicate>(a, b));
  return __builtin_convertvector(bits, Mask) != Mask(0);
}
constexpr int kLessQuiet = 0x11;       // _CMP_LT_OQ
constexpr int kLessEqualQuiet = 0x12;  // _CMP_LE_OQ
template <typename T>
DYNACC_INLINE auto FloatLess(T a, T b) { return QuietCompare<kLessQuiet>(a, b); }
template <typename T>
DYNACC_INLINE auto FloatLessEqual(T a, T b) { return QuietCompare<kLessEqualQuiet>(a, b); }
#else
// Compares with 0 where an operand is NaN; the empty assembly keeps LLVM from seeing through it.
template <typename T>
DYNACC_INLINE T ZeroUnless(typename Traits<T>::Signed mask, T a) {
  auto bits = Bits(a) & __builtin_bit_cast(typename Traits<T>::Unsigned, mask);
  asm("" : "+m"(bits));
  return FromBits<T>(bits);
}
template <typename T>
DYNACC_INLINE auto FloatLess(T a, T b) {
  const typename Traits<T>::Signed ordered = ~(IsNan(a) | IsNan(b));
  return ZeroUnless(ordered, a) < ZeroUnless(ordered, b);
}
template <typename T>
DYNACC_INLINE auto FloatLessEqual(T a, T b) {
  const typename Traits<T>::Signed ordered = ~(IsNan(a) | IsNan(b));
  return (ZeroUnless(ordered, a) <= ZeroUnless(ordered, b)) & ordered;
}
#endif

template <typename T>
DYNACC_INLINE auto Less(T a, T b) {
  if constexpr (Traits<T>::kIsFloat) return FloatLess(a, b);
  else if constexpr (kSameType<T, Bool>) return a.bits < b.bits;
  else return a < b;
}
template <typename T>
DYNACC_INLINE auto LessEqual(T a, T b) {
  if constexpr (Traits<T>::kIsFloat) return FloatLessEqual(a, b);
  else if constexpr (kSameType<T, Bool>) return a.bits <= b.bits;
  else return a <= b;
}

// Of equal operands (0 and -0) the second, of NaNs the first, as NumPy's vector code has it.
template <typename T>
DYNACC_INLINE T Maximum(T a, T b) {
  if constexpr (Traits<T>::kIsFloat) return Select(IsNan(a) | Less(b, a), a, b);
  else return Select(a < b, b, a);
}
DYNACC_INLINE Bool Maximum(Bool a, Bool b) { return a | b; }

template <typename T>
DYNACC_INLINE T Minimum(T a, T b) {
  if constexpr (Traits<T>::kIsFloat) return Select(IsNan(a) | Less(a, b), a, b);
  else return Select(b < a, b, a);
}
DYNACC_INLINE Bool Minimum(Bool a, Bool b) { return a & b; }

// -1, 0 or 1; NaN stays as it is; the sign of -0 is lost, as NumPy does.
template <typename T>
DYNACC_INLINE T Sign(T a) {
  const T magnitude = Select(a != T(0), T(1), T(0));
  if constexpr (Traits<T>::kIsFloat) {
    const T one = Select(a != T(0), Copysign(T(1), a), T(0));
    return Opaque(Select(IsNan(a), a, one));  // lest 1 / 0 be computed by LLVM
  } else if constexpr (kIsUnsigned<T>) {
    return magnitude;
  } else {
    return Select(a < T(0), T(-1), magnitude);
  }
}

#endif  // DYNACC_ORDER
