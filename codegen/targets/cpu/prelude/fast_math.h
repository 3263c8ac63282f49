// The prelude, part 6: functions for kernels under fast_math, which need not have NumPy's bits.
//
// One algorithm for both widths, from series whose coefficients are plain fractions; only the
// number of terms differs. Largest errors seen, in units in the last place, over the sampled
// arguments of tests/codegen/targets/cpu/fast_math_test.cc, which holds them to these bounds:
//   FastExp 2 (1 on CPUs with fused products), FastLog 1, FastTanh 3.
// NaN, infinities, overflow and the domain of log are as in C; denormal results of FastExp, where
// the CPU has no instruction to scale by a power of two, are right to one more unit.
// Floating-point flags are not meaningful.

#ifdef DYNACC_FAST

template <typename T>
constexpr bool kIsWide = sizeof(typename Traits<T>::Element) == 8;

// ln 2 in two parts; the first has so few bits that k * kLn2High is exact for every exponent k.
// The split is that of Cephes (S. Moshier), exp.c and expf.c.
template <typename T>
constexpr double kLn2High = kIsWide<T> ? 6.93145751953125e-1 : 0.693359375;
template <typename T>
constexpr double kLn2Low = kIsWide<T> ? 1.42860682030941723212e-6 : -2.12194440054690583e-4;

// a * 2^k for integral k, over- and underflow included.
#if defined(__AVX512F__) && DYNACC_LANES == 16
typedef float F32x16 __attribute__((vector_size(64)));
typedef double F64x8Raw __attribute__((vector_size(64)));
constexpr int kCurrentRounding = 4;
DYNACC_INLINE F32 Scale(F32 a, F32 k) {
  return __builtin_bit_cast(
      F32, __builtin_ia32_scalefps512_mask((F32x16)a, (F32x16)k, F32x16{}, -1, kCurrentRounding));
}
template <typename Half>
DYNACC_INLINE Half ScaleHalf(Half a, Half k) {
  return __builtin_bit_cast(Half, __builtin_ia32_scalefpd512_mask((F64x8Raw)a, (F64x8Raw)k,
                                                                  F64x8Raw{}, -1,
                                                                  kCurrentRounding));
}
DYNACC_INLINE F64 Scale(F64 a, F64 k) {
  F64 result;
  result.lo = ScaleHalf(a.lo, k.lo);
  result.hi = ScaleHalf(a.hi, k.hi);
  return result;
}
#else
// 2^k for k within the range of normal numbers.
template <typename T>
DYNACC_INLINE T PowerOfTwo(typename Traits<T>::Signed k) {
  constexpr int kMantissa = kIsWide<T> ? 52 : 23;
  constexpr int kBias = kIsWide<T> ? 1023 : 127;
  return __builtin_bit_cast(T, (k + kBias) << kMantissa);
}
template <typename T>
DYNACC_INLINE T Scale(T a, T k) {
  const auto whole = __builtin_convertvector(k, typename Traits<T>::Signed);
  const auto half = whole >> 1;  // in two steps, for denormal and infinite results
  return a * PowerOfTwo<T>(half) * PowerOfTwo<T>(whole - half);
}
#endif

// 1 / n!
template <int n>
constexpr double kTaylor = kTaylor<n - 1> / n;
template <>
constexpr double kTaylor<1> = 1;

// a = k ln 2 + r with |r| <= ln 2 / 2, and (e^r - 1) / r by its Taylor series. Written out, as the
// passes that kernels go through unroll no loop.
template <typename T>
struct Reduced {
  T k, r, series;
};
template <typename T>
DYNACC_INLINE Reduced<T> ReduceExp(T a) {
#pragma clang fp contract(fast)
  const T k = Rint(a * T(1.44269504088896340736));  // 1 / ln 2
  const T r = (a - k * T(kLn2High<T>)) - k * T(kLn2Low<T>);
  T series = T(kTaylor<kIsWide<T> ? 13 : 7>);
  if constexpr (kIsWide<T>) {
    series = series * r + T(kTaylor<12>);
    series = series * r + T(kTaylor<11>);
    series = series * r + T(kTaylor<10>);
    series = series * r + T(kTaylor<9>);
    series = series * r + T(kTaylor<8>);
    series = series * r + T(kTaylor<7>);
  }
  series = series * r + T(kTaylor<6>);
  series = series * r + T(kTaylor<5>);
  series = series * r + T(kTaylor<4>);
  series = series * r + T(kTaylor<3>);
  series = series * r + T(kTaylor<2>);
  return {k, r, series * r + T(1)};
}

template <typename T>
DYNACC_INLINE T Clamp(T a, double low, double high) {
  a = Select(T(low) > a, T(low), a);
  return Select(T(high) < a, T(high), a);  // NaN stays
}

template <typename T>
DYNACC_INLINE T FastExp(T a) {
#pragma clang fp contract(fast)
  // Beyond these the result is 0 or infinite, and k would leave the exponent's range.
  const T clamped = kIsWide<T> ? Clamp(a, -746, 710) : Clamp(a, -104, 89);
  const Reduced<T> e = ReduceExp(clamped);
  return Scale(e.series * e.r + T(1), e.k);
}

// tanh a = t / (t + 2) for t = e^(2 |a|) - 1, without cancellation near 0.
template <typename T>
DYNACC_INLINE T FastTanh(T a) {
#pragma clang fp contract(fast)
  const T magnitude = Clamp(Abs(a), 0, kIsWide<T> ? 22 : 10);  // beyond: 1, rounded
  const Reduced<T> e = ReduceExp(magnitude + magnitude);
  const T scale = Scale(T(1), e.k);
  const T expm1 = scale * (e.series * e.r) + (scale - T(1));
  return Copysign(expm1 / (expm1 + T(2)), a);
}

// a = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt 2); log(1 + f) from s = f / (2 + f) as in fdlibm's
// e_log.c (Sun Microsystems, 1993), with the series 2 s^2/3 + 2 s^4/5 + ... for its polynomial.
template <typename T>
DYNACC_INLINE T FastLog(T a) {
#pragma clang fp contract(fast)
  using Int = typename Traits<T>::Signed;
  constexpr int kMantissa = kIsWide<T> ? 52 : 23;
  constexpr double kNormal = kIsWide<T> ? 0x1p-1022 : 0x1p-126;
  const auto tiny = a < T(kNormal);  // denormal: scale up
  const T normal = Select(tiny, a * T(kIsWide<T> ? 0x1p53 : 0x1p24), a);
  const Int bits = __builtin_bit_cast(Int, normal);
  const Int root_half = __builtin_bit_cast(Int, T(0.70710678118654752440));
  const Int k = (bits - root_half) >> kMantissa;
  const T exponent = __builtin_convertvector(k, T) - Select(tiny, T(kMantissa + 1), T(0));
  const T f = __builtin_bit_cast(T, bits - (k << kMantissa)) - T(1);
  const T s = f / (T(2) + f), square = s * s;
  T series = T(kIsWide<T> ? 2.0 / 23 : 2.0 / 11);
  if constexpr (kIsWide<T>) {
    series = series * square + T(2.0 / 21);
    series = series * square + T(2.0 / 19);
    series = series * square + T(2.0 / 17);
    series = series * square + T(2.0 / 15);
    series = series * square + T(2.0 / 13);
    series = series * square + T(2.0 / 11);
  }
  series = series * square + T(2.0 / 9);
  series = series * square + T(2.0 / 7);
  series = series * square + T(2.0 / 5);
  series = (series * square + T(2.0 / 3)) * square;
  const T half_square = T(0.5) * f * f;
  const T low = s * (half_square + series) + exponent * T(kLn2Low<T>);
  const T result = exponent * T(kLn2High<T>) - ((half_square - low) - f);
  const T infinity = FromBits<T>(InfinityBits<T>());
  const T at_zero_or_less = Select(a == T(0), -infinity, T(__builtin_nan("")));
  return Select(a > T(0), Select(a == infinity, a, result), Select(IsNan(a), a, at_zero_or_less));
}

#endif  // DYNACC_FAST
