// The prelude, part 2: the functions that the C++ expressions of ops.def call. Each gives NumPy's
// bits, which tests/codegen/targets/cpu compares with NumPy itself.

DYNACC_INLINE Bool operator+(Bool a, Bool b) { return Bool(a.bits | b.bits); }
DYNACC_INLINE Bool operator*(Bool a, Bool b) { return Bool(a.bits & b.bits); }
DYNACC_INLINE Bool operator|(Bool a, Bool b) { return Bool(a.bits | b.bits); }
DYNACC_INLINE Bool operator&(Bool a, Bool b) { return Bool(a.bits & b.bits); }
DYNACC_INLINE Bool operator^(Bool a, Bool b) { return Bool(a.bits ^ b.bits); }
DYNACC_INLINE auto operator==(Bool a, Bool b) { return a.bits == b.bits; }
DYNACC_INLINE auto operator!=(Bool a, Bool b) { return a.bits != b.bits; }

template <typename T>
DYNACC_INLINE T Abs(T a) {
  if constexpr (kIsUnsigned<T>) return a;
  else return __builtin_elementwise_abs(a);    // of the least integer: itself
}
DYNACC_INLINE Bool Abs(Bool a) { return a; }

template <typename T>
DYNACC_INLINE T Conj(T a) { return a; }

template <typename T>
DYNACC_INLINE T Invert(T a) { return ~a; }
DYNACC_INLINE Bool Invert(Bool a) { return Bool(a.bits ^ U8(1)); }

template <typename T>
DYNACC_INLINE T Sqrt(T a) { return __builtin_elementwise_sqrt(a); }
template <typename T>
DYNACC_INLINE T Floor(T a) { return __builtin_elementwise_floor(a); }
template <typename T>
DYNACC_INLINE T Ceil(T a) { return __builtin_elementwise_ceil(a); }
template <typename T>
DYNACC_INLINE T Trunc(T a) { return __builtin_elementwise_trunc(a); }
template <typename T>
DYNACC_INLINE T Rint(T a) { return __builtin_elementwise_rint(a); }
template <typename T>
DYNACC_INLINE T Copysign(T a, T b) { return __builtin_elementwise_copysign(a, b); }

// The bits of infinity.
template <typename T>
DYNACC_INLINE typename Traits<T>::Unsigned InfinityBits() {
  using U = typename Traits<T>::Unsigned;
  if constexpr (sizeof(typename Traits<T>::Element) == 4) return U(0x7f800000u);
  else return U(0x7ff0000000000000ull);
}

// By the bits, so that no floating-point flag is raised.
template <typename T>
DYNACC_INLINE auto IsInf(T a) { return Bits(Abs(a)) == InfinityBits<T>(); }
template <typename T>
DYNACC_INLINE auto IsFinite(T a) { return Bits(Abs(a)) < InfinityBits<T>(); }
template <typename T>
DYNACC_INLINE auto IsNan(T a) { return Bits(Abs(a)) > InfinityBits<T>(); }
template <typename T>
DYNACC_INLINE auto SignBit(T a) {
  return __builtin_bit_cast(typename Traits<T>::Signed, a) < 0;
}

// 180 / pi and pi / 180 as NumPy's npy_math has them: rounded to T first.
template <typename T>
DYNACC_INLINE T Degree() {
  using E = typename Traits<T>::Element;
  return T(E(180) / E(3.141592653589793238462643383279502884L));
}
template <typename T>
DYNACC_INLINE T Radian() {
  using E = typename Traits<T>::Element;
  return T(E(3.141592653589793238462643383279502884L) / E(180));
}
