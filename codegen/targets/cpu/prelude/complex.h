// The prelude, part 8: complex numbers, as two vectors. The formulas are those of NumPy's loops
// (numpy/core/src/umath/loops.c.src and loops_arithm_fp.dispatch.c.src, NumPy 1.24). A module that
// has none of them leaves this out.
#if defined(DYNACC_COMPLEX)

template <typename P>
struct Complex {
  using Part = P;
  P re, im;

  Complex() = default;
  [[gnu::always_inline]] Complex(P re, P im) : re(re), im(im) {}
  [[gnu::always_inline]] explicit Complex(int value) : re(P(value)), im(P(0)) {}

  [[gnu::always_inline]] auto IsTrue() const { return (re != P(0)) | (im != P(0)); }
};
using C64 = Complex<F32>;
using C128 = Complex<F64>;

template <typename P>
constexpr bool kIsComplex<Complex<P>> = true;

// An element in memory.
template <typename E>
struct Parts {
  E re, im;
};
DYNACC_VECTOR_TYPE(C64, Parts<float>, false, I32, U32)
DYNACC_VECTOR_TYPE(C128, Parts<double>, false, I64, U64)

template <typename P>
struct Vectors<Complex<P>> {
  typedef typename Traits<P>::Element Pairs __attribute__((ext_vector_type(2 * kLanes)));

  DYNACC_INLINE Complex<P> Load(const char* from) {
    const Pairs pairs = Vectors<Pairs>::Load(from);
    return {pairs.even, pairs.odd};
  }
  DYNACC_INLINE void Store(char* to, Complex<P> value) {
    Vectors<Pairs>::Store(to, __builtin_shufflevector(
        value.re, value.im, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10,
        26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
  }
};

template <typename P>
DYNACC_INLINE Complex<P> operator+(Complex<P> a, Complex<P> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename P>
DYNACC_INLINE Complex<P> operator-(Complex<P> a, Complex<P> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename P>
DYNACC_INLINE Complex<P> operator-(Complex<P> a) { return {-a.re, -a.im}; }
template <typename P>
DYNACC_INLINE Complex<P> Conj(Complex<P> a) { return {a.re, -a.im}; }
template <typename P>
DYNACC_INLINE Complex<P> operator*(Complex<P> a, Complex<P> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// The first product of each part is not rounded.
template <typename P>
DYNACC_INLINE Complex<P> MultiplyFused(Complex<P> a, Complex<P> b) {
  return {__builtin_elementwise_fma(a.re, b.re, -(a.im * b.im)),
          __builtin_elementwise_fma(a.re, b.im, a.im * b.re)};
}

// Smith's algorithm: by the ratio of the divisor's smaller part to its larger one. Lanes that divide
// by zero are done apart, lest they raise flags that NumPy's branches do not.
template <typename P>
DYNACC_INLINE Complex<P> operator/(Complex<P> a, Complex<P> b) {
  const P magnitude = Abs(b.re);
  const auto wide = magnitude >= Abs(b.im);  // signals NaN, as NumPy's comparison does
  const auto zero = (b.re == P(0)) & (b.im == P(0));
  const bool any_zero = __builtin_reduce_or(zero) != 0;
  const P x = any_zero ? Select(zero, P(0), a.re) : a.re;
  const P y = any_zero ? Select(zero, P(0), a.im) : a.im;
  P large = Select(wide, b.re, b.im);
  if (any_zero) large = Select(zero, P(1), large);
  const P ratio = Select(wide, b.im, b.re) / large;
  const P scale = P(1) / (large + Select(wide, b.im, b.re) * ratio);
  const P first = Select(wide, x, y), second = Select(wide, y, x);
  const P by_ratio = first * ratio;
  Complex<P> result{(first + second * ratio) * scale,
                    (Select(wide, y, by_ratio) - Select(wide, by_ratio, second)) * scale};
  if (any_zero) {
    const P divisor = Select(zero, magnitude, P(1));
    result.re = Select(zero, Select(zero, a.re, P(0)) / divisor, result.re);
    result.im = Select(zero, Select(zero, a.im, P(0)) / divisor, result.im);
  }
  return result;
}

template <typename P>
DYNACC_INLINE auto IsInf(Complex<P> a) { return IsInf(a.re) | IsInf(a.im); }
template <typename P>
DYNACC_INLINE auto IsFinite(Complex<P> a) { return IsFinite(a.re) & IsFinite(a.im); }

template <typename P>
DYNACC_INLINE auto operator==(Complex<P> a, Complex<P> b) {
  return (a.re == b.re) & (a.im == b.im);
}
template <typename P>
DYNACC_INLINE auto operator!=(Complex<P> a, Complex<P> b) {
  return (a.re != b.re) | (a.im != b.im);
}
// By the real parts, then, where those are equal, by the imaginary ones; a NaN anywhere is not less.
// Unlike those of floats these signal the NaNs that they compare: imaginary parts only after equal
// real ones, real parts only of numbers whose imaginary parts are none, as NumPy's do.
template <typename P>
DYNACC_INLINE auto Less(Complex<P> a, Complex<P> b) {
  const auto equal = a.re == b.re;
  const auto ordered = ~(IsNan(a.im) | IsNan(b.im));
  const P u = Select(ordered, a.re, P(0)), v = Select(ordered, b.re, P(0));
  const P x = Select(equal, a.im, P(0)), y = Select(equal, b.im, P(0));
  return (u < v) | (x < y);
}
template <typename P>
DYNACC_INLINE auto LessEqual(Complex<P> a, Complex<P> b) {
  const auto equal = a.re == b.re;
  const auto ordered = ~(IsNan(a.im) | IsNan(b.im));
  const P u = Select(ordered, a.re, P(0)), v = Select(ordered, b.re, P(0));
  const P x = Select(equal, a.im, P(0)), y = Select(equal, b.im, P(0));
  return (u < v) | (equal & (x <= y));
}

template <typename P>
DYNACC_INLINE Complex<P> Where(Bool condition, Complex<P> a, Complex<P> b) {
  return {Select(MaskOf<P>(condition), a.re, b.re), Select(MaskOf<P>(condition), a.im, b.im)};
}

#endif  // DYNACC_COMPLEX
