// The CUDA prelude, part 4a: what bfloat16 and float8 are converted with.
#if defined(DYNACC_BFLOAT16) || defined(DYNACC_FLOAT8)

template <typename To, typename From>
DYNACC_INLINE To BitsOf(From value) {
  To to;
  memcpy(&to, &value, sizeof(to));
  return to;
}

// A float that a second rounding, to a format with two bits less, cannot tell from the double: toward
// zero, and with an odd last bit where that is not exact.
DYNACC_INLINE float RoundToOdd(double value) {
  const float near = static_cast<float>(value);
  const double back = static_cast<double>(near);
  if (back == value || value != value) return near;
  uint32_t bits = BitsOf<uint32_t>(near);
  if (fabs(back) > fabs(value)) --bits;
  return BitsOf<float>(bits | 1u);
}

#endif  // DYNACC_BFLOAT16 || DYNACC_FLOAT8
