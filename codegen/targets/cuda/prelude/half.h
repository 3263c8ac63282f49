// The CUDA prelude, part 4: halves. They turn into floats wherever arithmetic is done and are rounded
// when a step's result is kept, as NumPy's loops do it. Left out of a module that has none.
#if defined(DYNACC_HALF)

struct Half {
  unsigned short bits;

  Half() = default;
#if defined(DYNACC_SIMULATED)
  Half(float value) : bits(SimHalf(value)) {}
  Half(double value) : bits(SimHalf(value)) {}
  operator float() const { return SimFloat(bits); }
#else
  DYNACC_MEMBER Half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
  DYNACC_MEMBER Half(double value) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value)); }
  DYNACC_MEMBER operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
#endif
  DYNACC_MEMBER Half(int value) : Half(static_cast<float>(value)) {}
  DYNACC_MEMBER Half(uint32_t value) : Half(static_cast<float>(value)) {}
  DYNACC_MEMBER Half(int64_t value) : Half(static_cast<float>(value)) {}
  DYNACC_MEMBER Half(uint64_t value) : Half(static_cast<float>(value)) {}
};
DYNACC_ELEMENT(Half, true, true, float)

DYNACC_INLINE Half Negative(Half a) { return Half(-float(a)); }
DYNACC_INLINE bool IsInf(Half a) { return isinf(float(a)); }
DYNACC_INLINE bool IsFinite(Half a) { return isfinite(float(a)); }
DYNACC_INLINE bool SignBit(Half a) { return signbit(float(a)); }

// The distance to the next half away from 0, with the sign of a.
DYNACC_INLINE Half Spacing(Half a) {
  if (isinf(float(a))) return float(a) - float(a);
  Half next = a;
  ++next.bits;
  return float(next) - float(a);
}

// The half after a in the direction of b.
DYNACC_INLINE Half nextafter(Half a, Half b) {
  const float x = a, y = b;
  if (x != x || y != y) return x + y;
  if (x == y) return b;
  Half next = a;
  if (x == 0.0f) {
    next.bits = (b.bits & 0x8000) | 1;
  } else {
    next.bits += (x < y) == (x > 0.0f) ? 1 : -1;
  }
  return next;
}

#endif  // DYNACC_HALF
