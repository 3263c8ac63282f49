// The CUDA prelude, part 5: complex numbers. Sums, products and quotients as NumPy has them; the
// transcendental functions by the textbook's formulas (Abramowitz and Stegun, chapter 4) from those
// of CUDA on reals, without care for intermediate overflow. Left out of a module that has none.
#if defined(DYNACC_COMPLEX)

template <typename P>
struct Complex {
  P re, im;

  Complex() = default;
  DYNACC_MEMBER Complex(P re, P im) : re(re), im(im) {}
  DYNACC_MEMBER explicit Complex(int value) : re(P(value)), im(P(0)) {}
  DYNACC_MEMBER bool IsTrue() const { return re != P(0) || im != P(0); }
};
using Complex64 = Complex<float>;
using Complex128 = Complex<double>;

template <typename P>
struct Traits<Complex<P>> {
  static constexpr bool kIsFloat = false;
  static constexpr bool kIsSigned = true;
};

template <typename P>
constexpr bool kIsComplex<Complex<P>> = true;

#define DYNACC_OF_COMPLEX template <typename P> DYNACC_INLINE

DYNACC_OF_COMPLEX Complex<P> Add(Complex<P> a, Complex<P> b) { return {a.re + b.re, a.im + b.im}; }
DYNACC_OF_COMPLEX Complex<P> Subtract(Complex<P> a, Complex<P> b) {
  return {a.re - b.re, a.im - b.im};
}
DYNACC_OF_COMPLEX Complex<P> Multiply(Complex<P> a, Complex<P> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
DYNACC_OF_COMPLEX Complex<P> MultiplyFused(Complex<P> a, Complex<P> b) {
  return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}
DYNACC_OF_COMPLEX Complex<P> Negative(Complex<P> a) { return {-a.re, -a.im}; }
DYNACC_OF_COMPLEX Complex<P> Conj(Complex<P> a) { return {a.re, -a.im}; }
DYNACC_OF_COMPLEX Complex<P> Scaled(Complex<P> a, P by) { return {a.re * by, a.im * by}; }
// i * a and -i * a.
DYNACC_OF_COMPLEX Complex<P> TimesI(Complex<P> a) { return {-a.im, a.re}; }
DYNACC_OF_COMPLEX Complex<P> OverI(Complex<P> a) { return {a.im, -a.re}; }
DYNACC_OF_COMPLEX P Abs(Complex<P> a) { return hypot(a.re, a.im); }

// Smith's algorithm, as NumPy's.
DYNACC_OF_COMPLEX Complex<P> operator/(Complex<P> a, Complex<P> b) {
  if (fabs(b.re) >= fabs(b.im)) {
    if (!b.IsTrue()) return {a.re / fabs(b.re), a.im / fabs(b.re)};
    const P ratio = b.im / b.re, scale = P(1) / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
  }
  const P ratio = b.re / b.im, scale = P(1) / (b.im + b.re * ratio);
  return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}

DYNACC_OF_COMPLEX bool IsNan(Complex<P> a) { return IsNan(a.re) || IsNan(a.im); }
DYNACC_OF_COMPLEX bool IsInf(Complex<P> a) { return IsInf(a.re) || IsInf(a.im); }
DYNACC_OF_COMPLEX bool IsFinite(Complex<P> a) { return IsFinite(a.re) && IsFinite(a.im); }
DYNACC_OF_COMPLEX bool operator==(Complex<P> a, Complex<P> b) {
  return a.re == b.re && a.im == b.im;
}
DYNACC_OF_COMPLEX bool operator!=(Complex<P> a, Complex<P> b) { return !(a == b); }
// By the real parts, then by the imaginary ones.
DYNACC_OF_COMPLEX bool operator<(Complex<P> a, Complex<P> b) {
  return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
}
DYNACC_OF_COMPLEX bool operator<=(Complex<P> a, Complex<P> b) {
  return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
}
DYNACC_OF_COMPLEX bool operator>(Complex<P> a, Complex<P> b) { return b < a; }
DYNACC_OF_COMPLEX bool operator>=(Complex<P> a, Complex<P> b) { return b <= a; }
DYNACC_OF_COMPLEX Complex<P> Maximum(Complex<P> a, Complex<P> b) {
  return IsNan(a) || b <= a ? a : b;
}
DYNACC_OF_COMPLEX Complex<P> Minimum(Complex<P> a, Complex<P> b) {
  return IsNan(a) || a <= b ? a : b;
}
DYNACC_OF_COMPLEX Complex<P> Fmax(Complex<P> a, Complex<P> b) {
  return IsNan(b) || b <= a ? a : b;
}
DYNACC_OF_COMPLEX Complex<P> Fmin(Complex<P> a, Complex<P> b) {
  return IsNan(b) || a <= b ? a : b;
}
DYNACC_OF_COMPLEX Complex<P> Sign(Complex<P> a) {
  const Complex<P> zero(0);
  if (IsNan(a)) return {a.re - a.re + a.im - a.im, P(0)};
  return Complex<P>(zero < a ? 1 : (a < zero ? -1 : 0));
}
DYNACC_OF_COMPLEX Complex<P> rint(Complex<P> a) { return {rint(a.re), rint(a.im)}; }

DYNACC_OF_COMPLEX Complex<P> exp(Complex<P> a) {
  const P scale = exp(a.re);
  if (a.im == P(0)) return {scale, a.im};
  return {scale * cos(a.im), scale * sin(a.im)};
}
DYNACC_OF_COMPLEX Complex<P> log(Complex<P> a) { return {log(Abs(a)), atan2(a.im, a.re)}; }
DYNACC_OF_COMPLEX Complex<P> exp2(Complex<P> a) {
  return exp(Scaled(a, P(0.693147180559945309417232121458176568)));
}
DYNACC_OF_COMPLEX Complex<P> expm1(Complex<P> a) {
  const P half = sin(a.im / P(2));
  return {expm1(a.re) * cos(a.im) - P(2) * half * half, exp(a.re) * sin(a.im)};
}
DYNACC_OF_COMPLEX Complex<P> log2(Complex<P> a) {
  return Scaled(log(a), P(1.442695040888963407359924681001892137));
}
DYNACC_OF_COMPLEX Complex<P> log10(Complex<P> a) {
  return Scaled(log(a), P(0.434294481903251827651128918916605082));
}
DYNACC_OF_COMPLEX Complex<P> log1p(Complex<P> a) {
  return {log(hypot(a.re + P(1), a.im)), atan2(a.im, a.re + P(1))};
}
DYNACC_OF_COMPLEX Complex<P> sqrt(Complex<P> a) {
  if (!a.IsTrue()) return {P(0), a.im};
  const P root = sqrt((Abs(a) + fabs(a.re)) / P(2));
  const P other = fabs(a.im) / (P(2) * root);
  return a.re >= P(0) ? Complex<P>(root, copysign(other, a.im))
                      : Complex<P>(other, copysign(root, a.im));
}
DYNACC_OF_COMPLEX Complex<P> sinh(Complex<P> a) {
  return {sinh(a.re) * cos(a.im), cosh(a.re) * sin(a.im)};
}
DYNACC_OF_COMPLEX Complex<P> cosh(Complex<P> a) {
  return {cosh(a.re) * cos(a.im), sinh(a.re) * sin(a.im)};
}
DYNACC_OF_COMPLEX Complex<P> tanh(Complex<P> a) { return sinh(a) / cosh(a); }
DYNACC_OF_COMPLEX Complex<P> sin(Complex<P> a) { return OverI(sinh(TimesI(a))); }
DYNACC_OF_COMPLEX Complex<P> cos(Complex<P> a) { return cosh(TimesI(a)); }
DYNACC_OF_COMPLEX Complex<P> tan(Complex<P> a) { return OverI(tanh(TimesI(a))); }
DYNACC_OF_COMPLEX Complex<P> asinh(Complex<P> a) {
  return log(Add(a, sqrt(Add(Multiply(a, a), Complex<P>(1)))));
}
DYNACC_OF_COMPLEX Complex<P> acosh(Complex<P> a) {
  const Complex<P> one(1);
  return log(Add(a, Multiply(sqrt(Add(a, one)), sqrt(Subtract(a, one)))));
}
DYNACC_OF_COMPLEX Complex<P> atanh(Complex<P> a) {
  const Complex<P> one(1);
  return Scaled(Subtract(log(Add(one, a)), log(Subtract(one, a))), P(0.5));
}
DYNACC_OF_COMPLEX Complex<P> asin(Complex<P> a) { return OverI(asinh(TimesI(a))); }
DYNACC_OF_COMPLEX Complex<P> acos(Complex<P> a) {
  const Complex<P> sine = asin(a);
  return {P(1.570796326794896619231321691639751442) - sine.re, -sine.im};
}
DYNACC_OF_COMPLEX Complex<P> atan(Complex<P> a) { return OverI(atanh(TimesI(a))); }
DYNACC_OF_COMPLEX Complex<P> pow(Complex<P> a, Complex<P> b) {
  if (!b.IsTrue()) return Complex<P>(1);
  if (!a.IsTrue()) return Complex<P>(0);
  return exp(Multiply(b, log(a)));
}
DYNACC_OF_COMPLEX Complex<P> Power(Complex<P> a, Complex<P> b) { return pow(a, b); }

// Conversions from a complex number; those to one are in arithmetic.h.
template <typename To, typename P>
DYNACC_INLINE To Cast(Complex<P> a) {
  if constexpr (kIsComplex<To>) {
    using Part = decltype(To::re);
    return To(Part(a.re), Part(a.im));
  } else if constexpr (kSameType<To, bool>) {
    return a.IsTrue();
  } else {
    return Cast<To>(a.re);
  }
}

#undef DYNACC_OF_COMPLEX
#endif  // DYNACC_COMPLEX
