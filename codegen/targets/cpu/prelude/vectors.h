// The prelude of emitted CPU kernels, part 1: vector types and moves.
//
// The parts are joined, in the order of prelude/CMakeLists.txt, into the one header that emitted
// kernels include. It is compiled by Clang inside DynaCC and includes nothing.
//
// A value of a kernel is a vector of kLanes elements whatever its type, so that types mix freely;
// LLVM splits it into the registers that the CPU has. A module all of whose values are narrow
// integers defines DYNACC_LANES as more than 16. Arithmetic on it wraps around for integers
// (-fwrapv) and is never contracted or reordered for floats.

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;

#define DYNACC_INLINE [[gnu::always_inline]] static inline

#ifndef DYNACC_LANES
#define DYNACC_LANES 16
#endif
constexpr int64_t kLanes = DYNACC_LANES;

template <typename E>
struct VectorOf {
  typedef E type __attribute__((ext_vector_type(kLanes)));
};

using I8 = VectorOf<int8_t>::type;
using I16 = VectorOf<int16_t>::type;
using I32 = VectorOf<int32_t>::type;
using I64 = VectorOf<int64_t>::type;
using U8 = VectorOf<uint8_t>::type;
using U16 = VectorOf<uint16_t>::type;
using U32 = VectorOf<uint32_t>::type;
using U64 = VectorOf<uint64_t>::type;
using F32 = VectorOf<float>::type;
using F64 = VectorOf<double>::type;

// NumPy's bool: a byte that is 0 or 1. Its + is "or" and its * is "and", as NumPy has it.
struct Bool {
  U8 bits;
  Bool() = default;
  [[gnu::always_inline]] explicit Bool(U8 zero_or_one) : bits(zero_or_one) {}
  [[gnu::always_inline]] explicit Bool(int value) : bits(U8(value)) {}
};

// Keeps the compiler from leaving out what computes `value`, though nothing may come of it.
template <typename T>
DYNACC_INLINE void MustBeComputed(const T& value) {
  asm volatile("" : : "m"(value));
}

// The same value, of which LLVM knows nothing. It costs no instruction: each part stays in the
// register where it is.
#if defined(__AVX512F__)
constexpr int kRegisterBytes = 64;
#elif defined(__AVX__)
constexpr int kRegisterBytes = 32;
#else
constexpr int kRegisterBytes = 16;
#endif
template <typename T>
DYNACC_INLINE T Opaque(T a) {
  if constexpr (sizeof(T) > kRegisterBytes) {
    T result;
    result.lo = Opaque(a.lo);
    result.hi = Opaque(a.hi);
    return result;
  } else {
    asm("" : "+v"(a));
    return a;
  }
}

// Of a vector type: its element, its kind, and the integers of the same width.
template <typename T>
struct Traits;
#define DYNACC_VECTOR_TYPE(T, element, is_float, signed_type, unsigned_type) \
  template <>                                                                \
  struct Traits<T> {                                                         \
    using Element = element;                                                 \
    static constexpr bool kIsFloat = is_float;                               \
    using Signed = signed_type;                                              \
    using Unsigned = unsigned_type;                                          \
  };
DYNACC_VECTOR_TYPE(Bool, bool, false, I8, U8)
DYNACC_VECTOR_TYPE(I8, int8_t, false, I8, U8)
DYNACC_VECTOR_TYPE(I16, int16_t, false, I16, U16)
DYNACC_VECTOR_TYPE(I32, int32_t, false, I32, U32)
DYNACC_VECTOR_TYPE(I64, int64_t, false, I64, U64)
DYNACC_VECTOR_TYPE(U8, uint8_t, false, I8, U8)
DYNACC_VECTOR_TYPE(U16, uint16_t, false, I16, U16)
DYNACC_VECTOR_TYPE(U32, uint32_t, false, I32, U32)
DYNACC_VECTOR_TYPE(U64, uint64_t, false, I64, U64)
DYNACC_VECTOR_TYPE(F32, float, true, I32, U32)
DYNACC_VECTOR_TYPE(F64, double, true, I64, U64)

// Types that C++ has no vectors of (half.h, bfloat16.h, float8.h, complex.h). What is narrow, bfloat16
// and float8, is a half, too.
template <typename T>
constexpr bool kIsHalf = false;
template <typename T>
constexpr bool kIsLowPrecision = false;
template <typename T>
constexpr bool kIsComplex = false;

template <typename A, typename B>
constexpr bool kSameType = false;
template <typename A>
constexpr bool kSameType<A, A> = true;
template <typename T>
constexpr bool kIsUnsigned = kSameType<T, typename Traits<T>::Unsigned>;

template <typename T>
DYNACC_INLINE typename Traits<T>::Unsigned Bits(T a) {
  return __builtin_bit_cast(typename Traits<T>::Unsigned, a);
}
template <typename T>
DYNACC_INLINE T FromBits(typename Traits<T>::Unsigned bits) {
  return __builtin_bit_cast(T, bits);
}

// A mask (all ones or all zeros a lane, of any width) as NumPy's bool.
template <typename M>
DYNACC_INLINE Bool MakeBool(M mask) {
  return Bool(__builtin_convertvector(mask, U8) & U8(1));
}

// A bool as a mask of T's width.
template <typename T>
DYNACC_INLINE typename Traits<T>::Signed MaskOf(Bool a) {
  return __builtin_convertvector(a.bits != U8(0), typename Traits<T>::Signed);
}

// Lane by lane: mask ? a : b.
template <typename M, typename T>
DYNACC_INLINE T Select(M mask, T a, T b) {
  return mask ? a : b;
}
