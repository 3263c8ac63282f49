// HasBitsOf: loops of our own beside the array library's.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/cpu/own/own_loops.h"
#include "runtime/platform/fp_flags.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::cpu {
namespace {

constexpr int64_t kSamples = 4096;

// A stream of bits that is the same in every process (splitmix64).
class Bits {
 public:
  explicit Bits(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

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

// The same bits, or both NaN: of complex numbers part by part.
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

// Elements with room around them (kernel::kLoopGap).
struct Elements {
  Elements(DType dtype, int64_t count) : memory(count * ItemSize(dtype) + 2 * kernel::kLoopGap) {}
  char* data() { return memory.data() + kernel::kLoopGap; }
  std::vector<char> memory;
};

bool SameElementwise(const kernel::LibraryLoop& ours, const kernel::LibraryLoop& library,
                     int inputs, DType dtype, DType result) {
  Elements a(dtype, kSamples), b(dtype, kSamples);
  kFill[static_cast<int>(dtype)](a.data(), kSamples, 1);
  kFill[static_cast<int>(dtype)](b.data(), kSamples, 2);
  Elements expected(result, kSamples), found(result, kSamples);
  const intptr_t size = ItemSize(dtype), step = ItemSize(result);
  const intptr_t steps[] = {size, inputs == 1 ? step : size, step};
  const auto run = [&](const kernel::LibraryLoop& loop, Elements& to) {
    char* args[] = {a.data(), inputs == 1 ? to.data() : b.data(), to.data()};
    loop.fn(args, &kSamples, steps, loop.data);
  };
  run(library, expected);
  run(ours, found);
  for (int64_t i = 0; i < kSamples; ++i) {
    if (!AreSame(expected.data() + i * step, found.data() + i * step, result)) return false;
  }
  return true;
}

template <typename T>
void DropZeroSigns(char* data, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    value += T(0);
    std::memcpy(data + i * sizeof(T), &value, sizeof(T));
  }
}

// Runs of many lengths, with gaps and without, into one element; and rows added to rows. Which sign
// a zero has that is the greatest of zeros of both signs is not compared: it depends on the vectors
// of the library's loop.
bool SameReduction(const kernel::LibraryLoop& ours, const kernel::LibraryLoop& library, Op op,
                   DType dtype) {
  Elements data(dtype, kSamples);
  kFill[static_cast<int>(dtype)](data.data(), kSamples, 3);
  if (op == Op::kReduceMax || op == Op::kReduceMin) {
    if (dtype == DType::kFloat32) DropZeroSigns<float>(data.data(), kSamples);
    if (dtype == DType::kFloat64) DropZeroSigns<double>(data.data(), kSamples);
  }
  const int64_t size = ItemSize(dtype);
  static constexpr intptr_t kLengths[] = {1,  2,   7,   8,   9,   15,   16,
                                          64, 127, 128, 129, 255, 1000, 2040};
  for (const intptr_t length : kLengths) {
    for (const intptr_t gap : {1, 2}) {
      for (intptr_t first = 0; first + length * gap < kSamples; first += length * gap + 61) {
        alignas(16) char expected[kMaxItemSize] = {}, found[kMaxItemSize] = {};
        std::memcpy(expected, data.data(), size);
        std::memcpy(found, data.data(), size);
        const intptr_t steps[] = {0, gap * size, 0};
        char* to_library[] = {expected, data.data() + first * size, expected};
        char* to_ours[] = {found, data.data() + first * size, found};
        library.fn(to_library, &length, steps, library.data);
        ours.fn(to_ours, &length, steps, ours.data);
        if (!AreSame(expected, found, dtype)) return false;
      }
    }
  }
  return SameElementwise(ours, library, 2, dtype, dtype);
}

}  // namespace

bool HasBitsOf(kernel::LibraryLoop library, Op op, DType dtype) {
  const kernel::LibraryLoop ours = OwnLoop(op, dtype);
  if (!ours || !library || dtype == DType::kFloat16 || IsLowPrecision(dtype)) return false;
  if (ours.fn == library.fn && ours.data == library.data) return true;
  const platform::ScopedFpFlags flags;
  if (op == Op::kMatmul) return ProductsAreInOrder(dtype);
  const OpCategory category = Info(op).category;
  if (category == OpCategory::kReduction) return SameReduction(ours, library, op, dtype);
  return SameElementwise(ours, library, category == OpCategory::kUnary ? 1 : 2, dtype,
                         ResultOf(op, dtype));
}

}  // namespace dynacc::cpu
