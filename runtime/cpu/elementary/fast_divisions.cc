#include "runtime/cpu/elementary/fast_divisions.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/platform/cpu_level.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

constexpr int kSampleBlocks = 64;

enum class Trust { kNotProbed, kTrusted, kNot };

// Fills a block of pairs, different ones for each `block`.
using SampleFn = void (*)(int block, char* a, char* b);

struct DivisionLoop {
  kernel::LibraryLoop library;
  DivisionFn kernel = nullptr;
  SampleFn sample = nullptr;
  intptr_t size = 0;         // of an element
  bool numbers_too = false;  // the library is no quicker where all have one divisor
  std::atomic<Trust> trust{Trust::kNotProbed};

  static void Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data);

 private:
  bool CanRun(const intptr_t* steps) const;
  bool IsTrusted();
  bool AgreesOn(int block, int64_t b_step) const;
  void CallLibrary(char* const* args, const intptr_t* steps, int64_t from, int64_t count) const;
};

// Filled at start-up under the GIL, kept as long as the process, as NumPy is.
constexpr int kDivisions = 3;
constexpr int kDTypes = 4;
DivisionLoop division_loops[kDivisions][kDTypes];

// A number in [0, 1): multiples of the golden ratio fill it evenly.
double Fraction(int64_t i) {
  const double place = static_cast<double>(i + 1) * 0.6180339887498949;
  return place - std::floor(place);
}

// Numbers of all sizes and signs, exact multiples and their neighbours, and dividends smaller than
// their divisors, denormal ones and zeros among them.
template <typename T>
void SampleFloats(int block, char* a, char* b) {
  for (int64_t i = 0; i < kDivisionBlock; ++i) {
    const int64_t at = block * kDivisionBlock + i;
    T y = static_cast<T>(std::ldexp(Fraction(at) + 0.1, static_cast<int>(at % 12) - 4));
    T x = static_cast<T>(std::ldexp(Fraction(3 * at), block % 18 - 2));
    if (block % 4 == 1) x = y * static_cast<T>(at % 100);
    if (block % 4 == 2) x = std::nextafter(y * static_cast<T>(at % 50), static_cast<T>(i % 3));
    if (block % 4 == 3 && i % 4 == 0) x = std::ldexp(x, -std::numeric_limits<T>::max_exponent - 10);
    if (i % 8 == 5) x = 0;
    if (at % 3 == 0) x = -x;
    if (at % 5 < 2) y = -y;
    std::memcpy(a + i * sizeof(T), &x, sizeof(T));
    std::memcpy(b + i * sizeof(T), &y, sizeof(T));
  }
}

template <typename T>
void SampleInts(int block, char* a, char* b) {
  constexpr int kBits = sizeof(T) == 8 ? 52 : 30;
  for (int64_t i = 0; i < kDivisionBlock; ++i) {
    const int64_t at = block * kDivisionBlock + i;
    const auto x = static_cast<T>((Fraction(at) - 0.5) * std::ldexp(1, kBits - block % 16));
    auto y = static_cast<T>((Fraction(7 * at) - 0.5) * std::ldexp(1, 4 + block % (kBits - 4)));
    if (y == 0) y = 1;
    std::memcpy(a + i * sizeof(T), &x, sizeof(T));
    std::memcpy(b + i * sizeof(T), &y, sizeof(T));
  }
}

// Elements [from, from + count) of the call's.
void DivisionLoop::CallLibrary(char* const* args, const intptr_t* steps, int64_t from,
                               int64_t count) const {
  char* moved[] = {args[0] + from * steps[0], args[1] + from * steps[1], args[2] + from * steps[2]};
  const intptr_t size = count;
  library.fn(moved, &size, steps, library.data);
}

bool DivisionLoop::AgreesOn(int block, int64_t b_step) const {
  alignas(64) char a[kDivisionBlock * 8], b[kDivisionBlock * 8];
  alignas(64) char expected[kDivisionBlock * 8], found[kDivisionBlock * 8];
  sample(block, a, b);
  char* args[] = {a, b, expected};
  const intptr_t steps[] = {size, size * b_step, size};
  platform::ClearHardwareFlags();
  CallLibrary(args, steps, 0, kDivisionBlock);
  const uint32_t flags = platform::ErrorFlags();
  platform::ClearHardwareFlags();
  if (kernel(a, b, b_step, kDivisionBlock, found) == 0) return true;  // special: the library's
  return flags == platform::ErrorFlags() &&
         std::memcmp(expected, found, kDivisionBlock * size) == 0;
}

// Two threads may both probe; they find the same.
bool DivisionLoop::IsTrusted() {
  Trust known = trust.load(std::memory_order_relaxed);
  if (known == Trust::kNotProbed) {
    const platform::ScopedFpFlags flags;
    known = Trust::kTrusted;
    for (int block = 0; block < kSampleBlocks && known == Trust::kTrusted; ++block) {
      if (!AgreesOn(block, 1) || (numbers_too && !AgreesOn(block, 0))) known = Trust::kNot;
    }
    trust.store(known, std::memory_order_relaxed);
  }
  return known == Trust::kTrusted;
}

// Whether the operands lie as the kernel wants them.
bool DivisionLoop::CanRun(const intptr_t* steps) const {
  const bool has_divisors = steps[1] == size || (steps[1] == 0 && numbers_too);
  return steps[0] == size && has_divisors && steps[2] == size;
}

void DivisionLoop::Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  DivisionLoop& loop = *static_cast<DivisionLoop*>(data);
  const int64_t count = sizes[0];
  const int64_t whole = count & -kDivisionBlock;
  int64_t at = 0;
  if (whole > 0 && loop.CanRun(steps) && loop.IsTrusted()) {
    while (at < whole) {
      at += loop.kernel(args[0] + at * steps[0], args[1] + at * steps[1], steps[1] != 0, whole - at,
                        args[2] + at * steps[2]);
      if (at == whole) break;
      loop.CallLibrary(args, steps, at, kDivisionBlock);
      at += kDivisionBlock;
    }
  }
  if (at < count) loop.CallLibrary(args, steps, at, count - at);
}

kernel::LibraryLoop Replace(DivisionLoop& loop, kernel::LibraryLoop library, DivisionFn kernel,
                            SampleFn sample, int size, bool numbers_too) {
  if (kernel == nullptr) return library;
  loop.library = library;
  loop.kernel = kernel;
  loop.sample = sample;
  loop.size = size;
  loop.numbers_too = numbers_too;
  loop.trust = Trust::kNotProbed;
  return {&DivisionLoop::Run, &loop};
}

DivisionFn KernelOf(Division division, const DivisionFns& fns) {
  if (division == Division::kRemainder) return fns.remainder;
  return division == Division::kFloorDivide ? fns.floor_divide : fns.fmod;
}

}  // namespace

kernel::LibraryLoop FastDivision(Division division, DType dtype, kernel::LibraryLoop library) {
  const DivisionKernels& kernels =
      platform::ForBestLevel(kDivisionKernelsBase, kDivisionKernelsV3, kDivisionKernelsV4);
  struct Row {
    DType dtype;
    const DivisionFns& fns;
    SampleFn sample;
  };
  const Row rows[kDTypes] = {
      {DType::kFloat32, kernels.of_floats, &SampleFloats<float>},
      {DType::kFloat64, kernels.of_doubles, &SampleFloats<double>},
      {DType::kInt32, kernels.of_int32, &SampleInts<int32_t>},
      {DType::kInt64, kernels.of_int64, &SampleInts<int64_t>},
  };
  for (int i = 0; i < kDTypes; ++i) {
    if (rows[i].dtype != dtype) continue;
    // NumPy's quotients of integers by one number are products of vectors.
    const bool numbers_too = IsFloat(dtype) || division != Division::kFloorDivide;
    return Replace(division_loops[static_cast<int>(division)][i], library,
                   KernelOf(division, rows[i].fns), rows[i].sample, ItemSize(dtype), numbers_too);
  }
  return library;
}

}  // namespace dynacc::cpu
