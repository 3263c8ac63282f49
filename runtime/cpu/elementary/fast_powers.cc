#include "runtime/cpu/elementary/fast_powers.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "runtime/cpu/elementary/power_kernels.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

enum class Trust : uint8_t { kNotProbed, kTrusted, kNot };

// Twice the exponents that kernels know lie from -kMostHalves to kMostHalves.
constexpr int kMostHalves = 2 * kMostPower;

PowerExponent ExponentOf(int halves) { return {std::abs(halves) / 2, halves % 2 != 0, halves < 0}; }

bool HasVectorsOfItsOwn() {
  const std::vector<absl::string_view> levels = platform::LevelsOfThisMachine();
  return !levels.empty() && levels.back() == "x86-64-v4";
}

template <typename T>
class PowerLoop {
 public:
  using Kernel = void (*)(const T*, int64_t, PowerExponent, PowerBases, T*);

  void Start(kernel::LibraryLoop library, Kernel kernel);
  static void Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data);

 private:
  bool IsTrusted(int halves, PowerBases bases);
  bool AgreesOn(int halves, PowerBases bases) const;
  void RunBlock(const T* x, int64_t count, int halves, PowerBases bases, char* out,
                intptr_t step) const;

  kernel::LibraryLoop library_;
  Kernel kernel_ = nullptr;
  bool takes_positive_ = false;
  std::atomic<Trust> trust_[2 * kMostHalves + 1][2] = {};  // by exponent and PowerBases
};

// Filled at start-up under the GIL, kept as long as the process, as NumPy is.
template <typename T>
PowerLoop<T> power_loop;

template <typename T>
void CallLibrary(kernel::LibraryLoop library, const T* x, int64_t count, T exponent, char* out,
                 intptr_t step) {
  char* args[] = {const_cast<char*>(reinterpret_cast<const char*>(x)),
                  reinterpret_cast<char*>(&exponent), out};
  const intptr_t size = count;
  const intptr_t steps[] = {sizeof(T), 0, step};
  library.fn(args, &size, steps, library.data);
}

// Twice the exponent, if all elements have one that the kernels know; 0 otherwise.
template <typename T>
int SharedHalves(const char* exponents, intptr_t step) {
  if (step != 0) return 0;
  T exponent;
  std::memcpy(&exponent, exponents, sizeof(exponent));
  if (!(exponent >= -kMostPower && exponent <= kMostPower)) return 0;
  const int halves = static_cast<int>(2 * exponent);
  return static_cast<T>(halves) == 2 * exponent ? halves : 0;
}

// Copies `count` elements into a block, the rest of which is left alone.
template <typename T>
void Gather(const char* from, intptr_t step, int64_t count, T* to) {
  if (step == sizeof(T)) {
    std::memcpy(to, from, count * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i, from + i * step, sizeof(T));
}

template <typename T>
void Scatter(const T* from, int64_t count, char* out, intptr_t step) {
  if (step == sizeof(T)) {
    std::memcpy(out, from, count * sizeof(T));
  } else {
    for (int64_t i = 0; i < count; ++i) std::memcpy(out + i * step, from + i, sizeof(T));
  }
}

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// Elements that are looked at together.
constexpr int kAtOnce = 8;

// By the sign bits: to compare a NaN would raise a flag.
template <typename T>
bool HasSigns(const T* x, int64_t count) {
  BitsOf<T> all[kAtOnce] = {};
  int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    for (int k = 0; k < kAtOnce; ++k) all[k] |= std::bit_cast<BitsOf<T>>(x[i + k]);
  }
  for (; i < count; ++i) all[0] |= std::bit_cast<BitsOf<T>>(x[i]);
  BitsOf<T> any = 0;
  for (const BitsOf<T> bits : all) any |= bits;
  return any >> (sizeof(T) * 8 - 1) != 0;
}

// What is not certain is the library's, all of it in one call.
template <typename T>
void PowerLoop<T>::RunBlock(const T* x, int64_t count, int halves, PowerBases bases, char* out,
                            intptr_t step) const {
  alignas(64) T found[kPowerBlock];
  {
    const platform::ScopedFpFlags flags;
    kernel_(x, count, ExponentOf(halves), bases, found);
  }
  // The kernel gives 0 for what is not certain, and the power of 0 is 0 if it is no pole.
  const BitsOf<T> pole = halves < 0 ? 1 : 0;
  const auto is_open = [&](int64_t i) {
    return (std::bit_cast<BitsOf<T>>(found[i]) == 0) &
           ((std::bit_cast<BitsOf<T>>(x[i]) | pole) != 0);
  };
  T remaining[kPowerBlock], powers[kPowerBlock];
  uint16_t places[kPowerBlock];
  int64_t num_remaining = 0;
  for (int64_t begin = 0; begin < count; begin += kAtOnce) {
    const int64_t end = std::min(begin + kAtOnce, count);
    bool is_any_open = false;
    for (int64_t i = begin; i < end; ++i) is_any_open |= is_open(i);
    if (!is_any_open) continue;
    for (int64_t i = begin; i < end; ++i) {
      // A comparison of numbers would make a signalling NaN a quiet one on the way.
      std::memcpy(remaining + num_remaining, x + i, sizeof(T));
      places[num_remaining] = static_cast<uint16_t>(i);
      num_remaining += is_open(i);
    }
  }
  Scatter(found, count, out, step);
  if (num_remaining == 0) return;
  CallLibrary(library_, remaining, num_remaining, static_cast<T>(halves) / 2,
              reinterpret_cast<char*>(powers), sizeof(T));
  for (int64_t i = 0; i < num_remaining; ++i) {
    std::memcpy(out + places[i] * step, powers + i, sizeof(T));
  }
}

template <typename T>
bool PowerLoop<T>::AgreesOn(int halves, PowerBases bases) const {
  std::mt19937 random(1);  // the same numbers in every process
  std::uniform_real_distribution<T> mantissas(1, 2);
  std::uniform_int_distribution<int> logs(-6, 5);
  T x[kPowerBlock], powers[kPowerBlock];
  for (T& base : x) {
    base = std::ldexp(mantissas(random), logs(random));
    if (bases == PowerBases::kNegative) base = -base;
  }
  CallLibrary(library_, x, kPowerBlock, static_cast<T>(halves) / 2, reinterpret_cast<char*>(powers),
              sizeof(T));
  T found[kPowerBlock];
  kernel_(x, kPowerBlock, ExponentOf(halves), bases, found);
  const T exponent = static_cast<T>(halves) / 2;
  for (int64_t i = 0; i < kPowerBlock; ++i) {
    if (found[i] != 0 && found[i] != powers[i]) return false;
    // Vectors of the library's own would show at the latest in what is not certain.
    if (bases == PowerBases::kAll && powers[i] != std::pow(x[i], exponent)) return false;
  }
  return true;
}

// Two threads may both probe; they find the same.
template <typename T>
bool PowerLoop<T>::IsTrusted(int halves, PowerBases bases) {
  std::atomic<Trust>& trust = trust_[halves + kMostHalves][static_cast<int>(bases)];
  Trust known = trust.load(std::memory_order_relaxed);
  if (known == Trust::kNotProbed) {
    const platform::ScopedFpFlags flags;
    known = AgreesOn(halves, bases) ? Trust::kTrusted : Trust::kNot;
    trust.store(known, std::memory_order_relaxed);
  }
  return known == Trust::kTrusted;
}

template <typename T>
void PowerLoop<T>::Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  PowerLoop& loop = *static_cast<PowerLoop*>(data);
  const int halves = SharedHalves<T>(args[1], steps[1]);
  const bool takes_all = loop.takes_positive_ && halves != 0 &&
                         loop.IsTrusted(halves, PowerBases::kAll) &&
                         (halves % 2 != 0 || loop.IsTrusted(halves, PowerBases::kNegative));
  const PowerBases bases = takes_all ? PowerBases::kAll : PowerBases::kNegative;
  // Half powers of negative numbers are NaN.
  const bool takes_some = takes_all || (halves != 0 && halves % 2 == 0);
  if (!takes_some || (!takes_all && steps[0] == sizeof(T) &&
                      !HasSigns(reinterpret_cast<const T*>(args[0]), sizes[0]))) {
    return loop.library_.fn(args, sizes, steps, loop.library_.data);
  }
  alignas(64) T x[kPowerBlock] = {};
  for (int64_t at = 0, count; at < sizes[0]; at += count) {
    count = std::min<int64_t>(kPowerBlock, sizes[0] - at);
    Gather(args[0] + at * steps[0], steps[0], count, x);
    char* const out = args[2] + at * steps[2];
    if (takes_all || (HasSigns(x, count) && loop.IsTrusted(halves, bases))) {
      loop.RunBlock(x, count, halves, bases, out, steps[2]);
    } else {
      CallLibrary(loop.library_, x, count, static_cast<T>(halves) / 2, out, steps[2]);
    }
  }
}

template <typename T>
void PowerLoop<T>::Start(kernel::LibraryLoop library, Kernel kernel) {
  library_ = library;
  kernel_ = kernel;
  takes_positive_ = !HasVectorsOfItsOwn();
  for (auto& of_exponent : trust_) {
    for (std::atomic<Trust>& trust : of_exponent) trust = Trust::kNotProbed;
  }
}

template <typename T>
kernel::LibraryLoop Replace(kernel::LibraryLoop library, typename PowerLoop<T>::Kernel kernel) {
  power_loop<T>.Start(library, kernel);
  return {&PowerLoop<T>::Run, &power_loop<T>};
}

}  // namespace

kernel::LibraryLoop FastPowers(DType dtype, kernel::LibraryLoop library) {
  const PowerKernels& kernels = BestPowerKernels();
  if (dtype == DType::kFloat32) return Replace<float>(library, kernels.of_floats);
  if (dtype == DType::kFloat64) return Replace<double>(library, kernels.of_doubles);
  return library;
}

}  // namespace dynacc::cpu
