// Compiled for x86-64-v4 (CMakeLists.txt). All names are local to this file, and nothing inline of
// another header is called: its code must not reach other machines.
#include "runtime/cpu/elementary/exponential_kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>

#include <limits>

namespace dynacc::cpu {
namespace {

using Vector = __m512;

constexpr int kLanes = 16;
constexpr __mmask16 kAll = 0xffff;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Between these exp is neither 0 nor infinite.
constexpr float kLeast = -103.97208404541015625f;
constexpr float kMost = 88.72283935546875f;

inline Vector All(float x) { return _mm512_set1_ps(x); }
inline Vector Times(Vector a, Vector b, Vector plus) { return _mm512_fmadd_ps(a, b, plus); }
inline Vector Choose(__mmask16 mask, Vector no, Vector yes) {
  return _mm512_mask_blend_ps(mask, no, yes);
}

inline __mmask16 Ordinary(Vector x) {
  const __mmask16 below = _mm512_cmp_ps_mask(x, All(kMost), _CMP_LT_OQ);
  return _mm512_mask_cmp_ps_mask(below, x, All(kLeast), _CMP_GT_OQ);
}

// exp(x) = p(r) / q(r) * 2^k with k = x / ln 2 rounded, r = x - k ln 2: a rational approximation
// whose coefficients are NumPy's (npy_simd_data.h). The order of the operations makes the bits, and
// where a product and a sum are one operation.
template <QuotientRounding kRounding>
inline Vector Compute(Vector x) {
  const Vector magic = All(0x1.8p23f);  // pushes the fraction out of a float
  const Vector per_ln2 = All(1.442695040888963407359924681001892137f);
  const Vector k = _mm512_sub_ps(kRounding == QuotientRounding::kOnce
                                     ? Times(x, per_ln2, magic)
                                     : _mm512_add_ps(_mm512_mul_ps(x, per_ln2), magic),
                                 magic);
  Vector r = Times(k, All(-6.93145752e-1f), x);
  r = Times(k, All(-1.42860677e-6f), r);
  Vector p = Times(r, All(5.082762527590693718096e-04f), All(6.757896990527504603057e-03f));
  p = Times(p, r, All(5.114512081637298353406e-02f));
  p = Times(p, r, All(2.473615434895520810817e-01f));
  p = Times(p, r, All(7.257664613233124478488e-01f));
  p = Times(p, r, All(9.999999999980870924916e-01f));
  Vector q = Times(r, All(2.159509375685829852307e-02f), All(-2.742335390411667452936e-01f));
  q = Times(q, r, All(1));
  return _mm512_maskz_scalef_ps(kAll, _mm512_div_ps(p, q), k);
}

// Where some lanes are NaN, or too great or small for the formula.
template <QuotientRounding kRounding>
__attribute__((noinline)) Vector Special(Vector x, ExponentialErrors& errors) {
  const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  const __mmask16 great = _mm512_cmp_ps_mask(x, All(kMost), _CMP_GE_OQ);
  const __mmask16 small = _mm512_cmp_ps_mask(x, All(kLeast), _CMP_LE_OQ);
  const __mmask16 infinite = _mm512_cmp_ps_mask(x, All(kInfinity), _CMP_EQ_OQ);
  const __mmask16 minus_infinite = _mm512_cmp_ps_mask(x, All(-kInfinity), _CMP_EQ_OQ);
  errors.overflow |= (great & ~infinite) != 0;
  errors.underflow |= (small & ~minus_infinite) != 0;
  Vector y = Compute<kRounding>(Choose(Ordinary(x), All(0), x));
  y = Choose(nan, y, All(std::numeric_limits<float>::quiet_NaN()));
  y = Choose(great, y, All(kInfinity));
  return Choose(small, y, All(0));
}

template <QuotientRounding kRounding>
ExponentialErrors Exponentials(const float* x, int64_t count, float* y) {
  ExponentialErrors errors;
  for (int64_t i = 0; i < count; i += kLanes) {
    const bool is_last = count - i < kLanes;
    const __mmask16 mask = is_last ? static_cast<__mmask16>((1u << (count - i)) - 1) : kAll;
    const Vector lanes = _mm512_maskz_loadu_ps(mask, x + i);
    const bool is_special = Ordinary(lanes) != kAll;
    const Vector result = __builtin_expect(is_special, 0) ? Special<kRounding>(lanes, errors)
                                                          : Compute<kRounding>(lanes);
    _mm512_mask_storeu_ps(y + i, mask, result);
  }
  return errors;
}

}  // namespace

const ExponentialKernels kExponentialKernelsV4 = {
    {&Exponentials<QuotientRounding::kOnce>, &Exponentials<QuotientRounding::kTwice>}};

}  // namespace dynacc::cpu

#else

namespace dynacc::cpu {

const ExponentialKernels kExponentialKernelsV4 = {{nullptr, nullptr}};

}  // namespace dynacc::cpu

#endif
