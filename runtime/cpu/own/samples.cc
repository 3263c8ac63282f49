#include "runtime/cpu/own/samples.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/tensor/element_types.h"

namespace dynacc::cpu {
namespace {

// Numbers of all magnitudes, most of them near 1, and special ones.
double FloatSample(Bits& bits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kSpecial[] = {
      0.0,       -0.0,       1.0,
      -1.0,      0.5,        2.0,
      kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  const uint64_t kind = bits.Next() % 16;
  if (kind == 0) return kSpecial[bits.Next() % std::size(kSpecial)];
  const double sign = (bits.Next() & 1) != 0 ? -1.0 : 1.0;
  if (kind < 3) return sign * std::ldexp(bits.Unit(), static_cast<int>(bits.Next() % 2000) - 1000);
  if (kind < 6) return sign * std::ldexp(bits.Unit(), static_cast<int>(bits.Next() % 250) - 125);
  if (kind < 8) return sign * std::floor(bits.Unit() * 40);
  return sign * bits.Unit() * (kind < 12 ? 4.0 : 100.0);
}

template <typename T>
T SampleOf(Bits& bits) {
  if constexpr (ComplexType<T>) {
    using Part = typename T::value_type;
    return T(static_cast<Part>(FloatSample(bits)), static_cast<Part>(FloatSample(bits)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(FloatSample(bits));
  } else if constexpr (HalfType<T>) {
    return ToHalf(static_cast<float>(FloatSample(bits)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return (bits.Next() & 1) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    const uint64_t all = bits.Next();
    return static_cast<T>(all % 3 == 0 ? all % 17 : all);
  } else {
    return T();  // never compared
  }
}

template <typename T>
void Fill(char* to, int64_t count, uint64_t seed) {
  Bits bits(seed);
  for (int64_t i = 0; i < count; ++i) {
    const T sample = SampleOf<T>(bits);
    std::memcpy(to + i * sizeof(T), &sample, sizeof(T));
  }
}

using FillFn = void (*)(char*, int64_t, uint64_t);
constexpr FillFn kFill[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) &Fill<type>,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};

template <typename T>
bool AreBothNan(const char* a, const char* b) {
  T x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return std::isnan(x) && std::isnan(y);
}

}  // namespace

void FillSamples(DType dtype, char* to, int64_t count, uint64_t seed) {
  kFill[static_cast<int>(dtype)](to, count, seed);
}

bool AreSame(const char* a, const char* b, DType dtype) {
  const int size = ItemSize(RealOf(dtype));
  for (int part = 0; part < ItemSize(dtype); part += size) {
    if (std::memcmp(a + part, b + part, size) == 0) continue;
    const bool nans = RealOf(dtype) == DType::kFloat32   ? AreBothNan<float>(a + part, b + part)
                      : RealOf(dtype) == DType::kFloat64 ? AreBothNan<double>(a + part, b + part)
                                                         : false;
    if (!nans) return false;
  }
  return true;
}

}  // namespace dynacc::cpu
