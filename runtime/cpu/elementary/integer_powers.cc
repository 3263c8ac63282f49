#include "runtime/cpu/elementary/integer_powers.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>

#include "runtime/cpu/elementary/power_kernels.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

enum class Trust { kNotProbed, kTrusted, kNot };

template <typename T>
struct PowerLoop {
  using Kernel = void (*)(const T*, int64_t, int, PowerBlock<T>&);
  kernel::LibraryLoop library;
  Kernel kernel = nullptr;
  std::atomic<Trust> trust{Trust::kNotProbed};

  static void Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data);
  bool IsTrusted();

 private:
  bool AgreesOn(int exponent, std::mt19937& random) const;
  void RunBlock(const T* x, int64_t count, int exponent, char* out, intptr_t step) const;
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

// The exponent, if all elements have one that the kernels know; 0 otherwise.
template <typename T>
int SharedExponent(const char* exponents, intptr_t step) {
  if (step != 0) return 0;
  T exponent;
  std::memcpy(&exponent, exponents, sizeof(exponent));
  if (!(exponent >= kLeastPower && exponent <= kMostPower)) return 0;
  const int whole = static_cast<int>(exponent);
  return static_cast<T>(whole) == exponent ? whole : 0;
}

// Copies `count` elements into a block, the rest of which is left alone.
template <typename T>
void Gather(const char* from, intptr_t step, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i, from + i * step, sizeof(T));
}

// By the sign bits: to compare a NaN would raise a flag.
template <typename T>
bool HasSigns(const T* x, int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr int kAtOnce = 8;
  Bits all[kAtOnce] = {};
  int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    for (int k = 0; k < kAtOnce; ++k) all[k] |= std::bit_cast<Bits>(x[i + k]);
  }
  for (; i < count; ++i) all[0] |= std::bit_cast<Bits>(x[i]);
  Bits any = 0;
  for (const Bits bits : all) any |= bits;
  return any >> (sizeof(T) * 8 - 1) != 0;
}

template <typename T>
void PowerLoop<T>::RunBlock(const T* x, int64_t count, int exponent, char* out,
                            intptr_t step) const {
  PowerBlock<T> block;
  {
    const platform::ScopedFpFlags flags;
    kernel(x, count, exponent, block);
  }
  CallLibrary(library, block.remaining, count, static_cast<T>(exponent), out, step);
  for (int64_t i = 0; i < count; ++i) {
    if (block.found[i] != 0) std::memcpy(out + i * step, block.found + i, sizeof(T));
  }
}

template <typename T>
bool PowerLoop<T>::AgreesOn(int exponent, std::mt19937& random) const {
  std::uniform_real_distribution<T> mantissas(1, 2);
  std::uniform_int_distribution<int> logs(-6, 5);
  T x[kPowerBlock], powers[kPowerBlock];
  for (T& base : x) base = -std::ldexp(mantissas(random), logs(random));
  CallLibrary(library, x, kPowerBlock, static_cast<T>(exponent), reinterpret_cast<char*>(powers),
              sizeof(T));
  PowerBlock<T> block;
  kernel(x, kPowerBlock, exponent, block);
  for (int64_t i = 0; i < kPowerBlock; ++i) {
    if (block.found[i] != 0 && block.found[i] != powers[i]) return false;
  }
  return true;
}

// Two threads may both probe; they find the same.
template <typename T>
bool PowerLoop<T>::IsTrusted() {
  Trust known = trust.load(std::memory_order_relaxed);
  if (known == Trust::kNotProbed) {
    const platform::ScopedFpFlags flags;
    std::mt19937 random(1);  // the same numbers in every process
    known = Trust::kTrusted;
    for (int exponent = kLeastPower; exponent <= kMostPower; ++exponent) {
      if (!AgreesOn(exponent, random)) known = Trust::kNot;
    }
    trust.store(known, std::memory_order_relaxed);
  }
  return known == Trust::kTrusted;
}

template <typename T>
void PowerLoop<T>::Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  PowerLoop& loop = *static_cast<PowerLoop*>(data);
  const int exponent = SharedExponent<T>(args[1], steps[1]);
  if (exponent == 0) return loop.library.fn(args, sizes, steps, loop.library.data);
  if (steps[0] == sizeof(T) && !HasSigns(reinterpret_cast<const T*>(args[0]), sizes[0])) {
    return loop.library.fn(args, sizes, steps, loop.library.data);
  }
  alignas(64) T x[kPowerBlock] = {};
  for (int64_t at = 0, count; at < sizes[0]; at += count) {
    count = std::min<int64_t>(kPowerBlock, sizes[0] - at);
    Gather(args[0] + at * steps[0], steps[0], count, x);
    char* const out = args[2] + at * steps[2];
    if (HasSigns(x, count) && loop.IsTrusted()) {
      loop.RunBlock(x, count, exponent, out, steps[2]);
    } else {
      CallLibrary(loop.library, x, count, static_cast<T>(exponent), out, steps[2]);
    }
  }
}

template <typename T>
kernel::LibraryLoop Replace(kernel::LibraryLoop library, typename PowerLoop<T>::Kernel kernel) {
  PowerLoop<T>& loop = power_loop<T>;
  loop.library = library;
  loop.kernel = kernel;
  loop.trust = Trust::kNotProbed;
  return {&PowerLoop<T>::Run, &loop};
}

}  // namespace

kernel::LibraryLoop IntegerPowers(DType dtype, kernel::LibraryLoop library) {
  const PowerKernels& kernels = BestPowerKernels();
  if (dtype == DType::kFloat32) return Replace<float>(library, kernels.of_floats);
  if (dtype == DType::kFloat64) return Replace<double>(library, kernels.of_doubles);
  return library;
}

}  // namespace dynacc::cpu
