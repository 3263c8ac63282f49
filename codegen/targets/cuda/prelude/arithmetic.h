// The CUDA prelude, part 2: arithmetic with NumPy's meaning.

template <typename T>
DYNACC_INLINE T Add(T a, T b) {
  using Wide = typename Traits<T>::Wide;
  return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
}
template <typename T>
DYNACC_INLINE T Subtract(T a, T b) {
  using Wide = typename Traits<T>::Wide;
  return static_cast<T>(static_cast<Wide>(a) - static_cast<Wide>(b));
}
template <typename T>
DYNACC_INLINE T Multiply(T a, T b) {
  using Wide = typename Traits<T>::Wide;
  return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
}
template <typename T>
DYNACC_INLINE T Negative(T a) {
  if constexpr (Traits<T>::kIsFloat) return -a;
  else return Subtract(T(0), a);
}
template <typename T>
DYNACC_INLINE T Abs(T a) {
  if constexpr (Traits<T>::kIsFloat) return fabs(a);
  else if constexpr (Traits<T>::kIsSigned) return a < T(0) ? Negative(a) : a;
  else return a;
}
template <typename T>
DYNACC_INLINE T Conj(T a) { return a; }
template <typename T>
DYNACC_INLINE T Invert(T a) {
  if constexpr (kSameType<T, bool>) return !a;
  else return static_cast<T>(~a);
}

template <typename T>
DYNACC_INLINE bool IsNan(T a) { return a != a; }
template <typename T>
DYNACC_INLINE T Maximum(T a, T b) { return IsNan(a) || a > b ? a : b; }
template <typename T>
DYNACC_INLINE T Minimum(T a, T b) { return IsNan(a) || a < b ? a : b; }
template <typename T>
DYNACC_INLINE T Fmax(T a, T b) {
  if constexpr (Traits<T>::kIsFloat) return fmax(a, b);
  else return a > b ? a : b;
}
template <typename T>
DYNACC_INLINE T Fmin(T a, T b) {
  if constexpr (Traits<T>::kIsFloat) return fmin(a, b);
  else return a < b ? a : b;
}
template <typename T>
DYNACC_INLINE T Sign(T a) {
  if constexpr (Traits<T>::kIsFloat) {
    if (IsNan(a)) return a;
  }
  if constexpr (Traits<T>::kIsSigned) {
    if (a < T(0)) return T(-1);
  }
  return a > T(0) ? T(1) : T(0);
}

// Division of integers rounds down and gives 0 by 0, as NumPy's does.
template <typename T>
DYNACC_INLINE T FloorDivide(T a, T b) {
  if constexpr (Traits<T>::kIsFloat) {
    return floor(a / b);
  } else if constexpr (Traits<T>::kIsSigned) {
    if (b == T(0)) return T(0);
    if (b == T(-1)) return Negative(a);
    const T quotient = a / b;
    return (a % b != 0) && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
  } else {
    return b == T(0) ? T(0) : a / b;
  }
}
template <typename T>
DYNACC_INLINE T Fmod(T a, T b) {
  if constexpr (Traits<T>::kIsFloat) return fmod(a, b);
  else if constexpr (Traits<T>::kIsSigned) return b == T(0) || b == T(-1) ? T(0) : a % b;
  else return b == T(0) ? T(0) : a % b;
}
// The remainder has the divisor's sign.
template <typename T>
DYNACC_INLINE T Remainder(T a, T b) {
  const T rest = Fmod(a, b);
  if constexpr (Traits<T>::kIsFloat) {
    if (rest == T(0)) return copysign(T(0), b);
    return (rest < T(0)) != (b < T(0)) ? static_cast<T>(rest + b) : rest;
  } else if constexpr (Traits<T>::kIsSigned) {
    return rest != T(0) && (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    return rest;
  }
}

// Shifts by the width or more (or by a negative count) give 0, or -1 for negative numbers.
template <typename T>
DYNACC_INLINE T LeftShift(T a, T b) {
  using Wide = typename Traits<T>::Wide;
  return static_cast<Wide>(b) < 8 * sizeof(T) ? static_cast<T>(static_cast<Wide>(a) << b) : T(0);
}
template <typename T>
DYNACC_INLINE T RightShift(T a, T b) {
  using Wide = typename Traits<T>::Wide;
  if (static_cast<Wide>(b) < 8 * sizeof(T)) return static_cast<T>(a >> b);
  return a < T(0) ? T(-1) : T(0);
}

// Euclid's algorithm on magnitudes.
template <typename T>
DYNACC_INLINE T Gcd(T a, T b) {
  a = Abs(a);
  b = Abs(b);
  while (b != T(0)) {
    const T rest = Fmod(a, b);
    a = b;
    b = rest;
  }
  return a;
}
template <typename T>
DYNACC_INLINE T Lcm(T a, T b) {
  const T divisor = Gcd(a, b);
  return divisor == T(0) ? T(0) : Multiply(static_cast<T>(Abs(a) / divisor), Abs(b));
}

template <typename To, typename From>
DYNACC_INLINE To Cast(From a) {
  if constexpr (kIsComplex<To>) {
    return To(Cast<decltype(To::re)>(a), 0);
  } else if constexpr (kSameType<To, bool>) {
    return a != From(0);
  } else if constexpr (Traits<From>::kIsFloat && !Traits<To>::kIsFloat) {
    // Through a type that holds every value of To; the conversion saturates.
    if constexpr (kSameType<To, uint64_t>) return static_cast<uint64_t>(a);
    else return static_cast<To>(static_cast<int64_t>(a));
  } else {
    return static_cast<To>(a);
  }
}
