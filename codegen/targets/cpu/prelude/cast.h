// The prelude, part 4: conversions, with the bits of NumPy's astype on x86-64 where the C
// language leaves them open.

#if defined(DYNACC_CAST) || defined(DYNACC_HALF) || defined(DYNACC_COMPLEX) || \
    defined(DYNACC_BFLOAT16) || defined(DYNACC_FLOAT8)

// Floats to narrow integers go through the 32-bit (for uint32: 64-bit) conversion, which gives
// its least integer for NaN and what is out of range; the low bytes of that are kept.
template <typename From>
DYNACC_INLINE U64 FloatToU64(From a) {
  // Values of 2^63 and more are converted with 2^63 taken off, and the top bit put back.
  const auto large = a >= From(9223372036854775808.0);
  const From reduced = Select(large, a - From(9223372036854775808.0), a);
  const U64 low = __builtin_convertvector(__builtin_convertvector(reduced, I64), U64);
  const U64 top = __builtin_convertvector(__builtin_convertvector(large, I64), U64) << 63;
  return low ^ top;
}

// What NumPy gives for values beyond [-2^31, 2^32) depends on where in the array they are (its
// vector and scalar code differ). They are made NaN first, which raises the invalid flag, so
// that such a stretch is run by NumPy itself.
template <typename From>
DYNACC_INLINE U32 FloatToU32(From a) {
  const auto inside = (a >= From(-2147483648.0)) & (a < From(4294967296.0));
  const From checked = Select(inside, a, From(__builtin_nan("")));
  return __builtin_convertvector(__builtin_convertvector(checked, I64), U32);
}

// To LLVM a conversion of a float that is out of range has no value at all, so that it would take
// (int)(double)x for a mere move of bits; NumPy has two loops and x86's result of each.
template <typename To, typename From>
DYNACC_INLINE To FloatToInteger(From known) {
  const From a = Opaque(known);
  if constexpr (kSameType<To, U64>) return FloatToU64(a);
  else if constexpr (kSameType<To, U32>) return FloatToU32(a);
  else if constexpr (kSameType<To, I64>) return __builtin_convertvector(a, I64);
  else return __builtin_convertvector(__builtin_convertvector(a, I32), To);
}

// Of integers LLVM may know the value, as of x ^ x. It would then compute 1 / 0 itself, and the
// flag from which NumPy's warning comes would not be raised. No other floats are known to it: a
// kernel's numbers are arguments.
template <typename To, typename From>
DYNACC_INLINE To FromInteger(From a) {
  const To converted = __builtin_convertvector(a, To);
  if constexpr (Traits<To>::kIsFloat) return Opaque(converted);
  else return converted;
}

// A float that a second rounding, to a format with two bits less, cannot tell from the double: toward
// zero, and with an odd last bit where that is not exact.
DYNACC_INLINE F32 RoundToOdd(F64 a) {
  const F32 near = __builtin_convertvector(a, F32);
  const U64 magnitude = U64(0x7fffffffffffffffu);
  const U64 wide = Bits(a) & magnitude;
  const U64 narrow = Bits(__builtin_convertvector(near, F64)) & magnitude;
  const auto is_nan = wide > U64(0x7ff0000000000000u);
  const I32 beyond = __builtin_convertvector((narrow > wide) & ~is_nan, I32);
  const I32 inexact = __builtin_convertvector((narrow != wide) & ~is_nan, I32);
  const U32 toward_zero = Bits(near) + __builtin_bit_cast(U32, beyond);  // true is -1
  return FromBits<F32>(toward_zero | (__builtin_bit_cast(U32, inexact) & U32(1)));
}

template <typename To, typename From>
DYNACC_INLINE To Cast(From a) {
  if constexpr (kSameType<To, From>) return a;
  else if constexpr (kIsHalf<From>) return Cast<To>(a.Wide());
  else if constexpr (kIsComplex<From> && kSameType<To, Bool>) return MakeBool(a.IsTrue());
  else if constexpr (kIsComplex<From> && kIsComplex<To>)
    return To(Cast<typename To::Part>(a.re), Cast<typename To::Part>(a.im));
  else if constexpr (kIsComplex<From>) return Cast<To>(a.re);
  else if constexpr (kIsComplex<To>) return To(Cast<typename To::Part>(a), typename To::Part(0));
  else if constexpr (kIsHalf<To> && kSameType<From, F64>) return To::RoundWide(a);
  else if constexpr (kIsHalf<To> && kSameType<From, F32>) return To::Round(a);
  else if constexpr (kIsLowPrecision<To> && sizeof(typename Traits<From>::Element) > 2)
    return To::RoundWide(Cast<F64>(a));
  else if constexpr (kIsHalf<To>) return To::Round(Cast<F32>(a));
  // A comparison of bits would not raise the flag that a signalling NaN raises.
  else if constexpr (kSameType<To, Bool> && Traits<From>::kIsFloat)
    return MakeBool(Opaque(a) != From(0));
  else if constexpr (kSameType<To, Bool>) return MakeBool(a != From(0));
  // Any byte but 0 is True, and counts as 1.
  else if constexpr (kSameType<From, Bool>) return FromInteger<To>(MakeBool(a.bits != U8(0)).bits);
  else if constexpr (!Traits<From>::kIsFloat) return FromInteger<To>(a);
  else if constexpr (!Traits<To>::kIsFloat) return FloatToInteger<To>(a);
  else return __builtin_convertvector(a, To);
}

template <typename T>
DYNACC_INLINE T Where(Bool condition, T a, T b) { return Select(MaskOf<T>(condition), a, b); }
DYNACC_INLINE Bool Where(Bool condition, Bool a, Bool b) {
  return Bool(Select(condition.bits != U8(0), a.bits, b.bits));
}

#endif  // DYNACC_CAST
