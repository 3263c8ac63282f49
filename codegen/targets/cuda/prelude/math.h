// The CUDA prelude, part 3: functions that CUDA's mathematics library does not have, or has under
// another meaning. The rest is called by its own name; NVRTC overloads it for float and double.

template <typename T>
DYNACC_INLINE T Degree() { return T(57.295779513082320876798154814105170); }  // 180 / pi
template <typename T>
DYNACC_INLINE T Radian() { return T(0.017453292519943295769236907684886127); }  // pi / 180

template <typename T>
DYNACC_INLINE bool IsInf(T a) {
  if constexpr (Traits<T>::kIsFloat) return isinf(a);
  else return false;
}
template <typename T>
DYNACC_INLINE bool IsFinite(T a) {
  if constexpr (Traits<T>::kIsFloat) return isfinite(a);
  else return true;
}
template <typename T>
DYNACC_INLINE bool SignBit(T a) { return signbit(a); }

// By repeated squaring for integers; a negative exponent, which NumPy refuses, gives 0.
template <typename T>
DYNACC_INLINE T Power(T a, T b) {
  if constexpr (Traits<T>::kIsFloat) {
    return pow(a, b);
  } else {
    if constexpr (Traits<T>::kIsSigned) {
      if (b < T(0)) return T(0);
    }
    T result = T(1);
    for (; b != T(0); b = static_cast<T>(b >> 1)) {
      if (b & 1) result = Multiply(result, a);
      a = Multiply(a, a);
    }
    return result;
  }
}

// log(exp(a) + exp(b)) without overflow; as npy_logaddexp of NumPy's npy_math.
template <typename T>
DYNACC_INLINE T Logaddexp(T a, T b) {
  if (a == b) return a + T(0.693147180559945309417232121458176568);  // ln 2; also inf, inf
  const T difference = a - b;
  if (difference > T(0)) return a + log1p(exp(-difference));
  if (difference <= T(0)) return b + log1p(exp(difference));
  return difference;  // NaN
}
template <typename T>
DYNACC_INLINE T Logaddexp2(T a, T b) {
  const T kLog2E = T(1.442695040888963407359924681001892137);
  if (a == b) return a + T(1);
  const T difference = a - b;
  if (difference > T(0)) return a + kLog2E * log1p(exp2(-difference));
  if (difference <= T(0)) return b + kLog2E * log1p(exp2(difference));
  return difference;
}

template <typename T>
DYNACC_INLINE T Heaviside(T a, T b) {
  if (IsNan(a)) return a;
  return a == T(0) ? b : (a < T(0) ? T(0) : T(1));
}

// The distance to the next number away from 0, with the sign of a.
DYNACC_INLINE float Spacing(float a) {
  if (isinf(a)) return a - a;
  return nextafterf(a, copysignf(__int_as_float(0x7f800000), a)) - a;
}
DYNACC_INLINE double Spacing(double a) {
  if (isinf(a)) return a - a;
  return nextafter(a, copysign(__longlong_as_double(0x7ff0000000000000ll), a)) - a;
}
