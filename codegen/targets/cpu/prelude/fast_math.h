// The prelude, part 6: functions for kernels under fast_math, which need not have NumPy's bits.
//
// One algorithm for both widths, from series whose coefficients are plain fractions; only the
// number of terms differs. Largest errors seen, in units in the last place, over the sampled
// arguments of tests/codegen/targets_cpu/fast_math_test.cc, which holds them to these bounds:
//   FastExp 2, FastLog 2, FastTanh 4.
// NaN, infinities, overflow and the domain of log are as in C; denormal results of FastExp are
// right to one more unit. Floating-point flags are not meaningful.

#ifdef DYNACC_FAST

template <typename T>
constexpr bool kIsWide = sizeof(typename Traits<T>::Element) == 8;

// ln 2 in two parts; the first has so few bits that k * kLn2High is exact for every exponent k.
// The split is that of Cephes (S. Moshier), exp.c and expf.c.
template <typename T>
constexpr double kLn2High = kIsWide<T> ? 6.93145751953125e-1 : 0.693359375;
template <typename T>
constexpr double kLn2Low = kIsWide<T> ? 1.42860682030941723212e-6 : -2.12194440054690583e-4;

// 2^k for integral k within the range of normal numbers.
template <typename T>
DYNACC_INLINE T PowerOfTwo(typename Traits<T>::Signed k) {
  constexpr int kMantissa = kIsWide<T> ? 52 : 23;
  constexpr int kBias = kIsWide<T> ? 1023 : 127;
  return __builtin_bit_cast(T, (k + kBias) << kMantissa);
}

// a = k ln 2 + r with |r| <= ln 2 / 2; gives e^r - 1 by its Taylor series and k.
template <typename T>
struct Reduced {
  T expm1;
  typename Traits<T>::Signed k;
};
template <typename T>
DYNACC_INLINE Reduced<T> ReduceExp(T a) {
#pragma clang fp contract(fast)
  const T k = Rint(a * T(1.44269504088896340736));  // 1 / ln 2
  const T r = (a - k * T(kLn2High<T>)) - k * T(kLn2Low<T>);
  constexpr int kTerms = kIsWide<T> ? 13 : 7;
  T sum = T(1);
#pragma clang loop unroll(full)
  for (int n = kTerms; n > 1; --n) sum = T(1) + r * sum * T(1.0 / n);
  return {r * sum, __builtin_convertvector(k, typename Traits<T>::Signed)};
}

template <typename T>
DYNACC_INLINE T Clamp(T a, double low, double high) {
  a = Select(a < T(low), T(low), a);
  return Select(a > T(high), T(high), a);  // NaN stays
}

template <typename T>
DYNACC_INLINE T FastExp(T a) {
  // Beyond these the result is 0 or infinite, and k would leave the exponent's range.
  const T clamped = kIsWide<T> ? Clamp(a, -746, 710) : Clamp(a, -104, 89);
  const Reduced<T> reduced = ReduceExp(clamped);
  const auto half = reduced.k >> 1;  // in two steps, for denormal and infinite results
  return (reduced.expm1 + T(1)) * PowerOfTwo<T>(half) * PowerOfTwo<T>(reduced.k - half);
}

// tanh a = t / (t + 2) for t = e^(2 |a|) - 1, without cancellation near 0.
template <typename T>
DYNACC_INLINE T FastTanh(T a) {
#pragma clang fp contract(fast)
  const T magnitude = Clamp(Abs(a), 0, kIsWide<T> ? 22 : 10);  // beyond: 1, rounded
  const Reduced<T> reduced = ReduceExp(magnitude + magnitude);
  const T scale = PowerOfTwo<T>(reduced.k);
  const T expm1 = scale * reduced.expm1 + (scale - T(1));
  return Copysign(expm1 / (expm1 + T(2)), a);
}

// a = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt 2); log(1 + f) from s = f / (2 + f) as in fdlibm's
// e_log.c (Sun Microsystems, 1993), with the series 2 s^2/3 + 2 s^4/5 + ... for its polynomial.
template <typename T>
DYNACC_INLINE T FastLog(T a) {
#pragma clang fp contract(fast)
  using Int = typename Traits<T>::Signed;
  constexpr int kMantissa = kIsWide<T> ? 52 : 23;
  constexpr int kTerms = kIsWide<T> ? 11 : 5;
  const auto tiny = a < PowerOfTwo<T>(Int(kIsWide<T> ? -1022 : -126));  // denormal: scale up
  const T normal = Select(tiny, a * PowerOfTwo<T>(Int(kMantissa + 1)), a);
  const Int bits = __builtin_bit_cast(Int, normal);
  const Int root_half = __builtin_bit_cast(Int, T(0.70710678118654752440));
  const Int k = (bits - root_half) >> kMantissa;
  const T exponent = __builtin_convertvector(k, T) - Select(tiny, T(kMantissa + 1), T(0));
  const T f = __builtin_bit_cast(T, bits - (k << kMantissa)) - T(1);
  const T s = f / (T(2) + f), square = s * s;
  T series = T(0);
#pragma clang loop unroll(full)
  for (int n = kTerms; n > 0; --n) series = square * (T(2.0 / (2 * n + 1)) + series);
  const T half_square = T(0.5) * f * f;
  const T low = s * (half_square + series) + exponent * T(kLn2Low<T>);
  const T result = exponent * T(kLn2High<T>) - ((half_square - low) - f);
  const T infinity = FromBits<T>(InfinityBits<T>());
  const T at_zero_or_less = Select(a == T(0), -infinity, T(__builtin_nan("")));
  return Select(a > T(0), Select(a == infinity, a, result), Select(IsNan(a), a, at_zero_or_less));
}

#endif  // DYNACC_FAST
