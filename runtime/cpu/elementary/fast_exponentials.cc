#include "runtime/cpu/elementary/fast_exponentials.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/cpu/elementary/exponential_kernels.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

// Elements with gaps are done so many at a time; samples are compared so.
constexpr int64_t kBlock = 256;
constexpr int kSampleBlocks = 48;

struct ExpLoop {
  kernel::LibraryLoop library;
  ExponentialKernels kernels;
  // Of the kernels the one that computes like the library; null if none does. Known once it is
  // probed.
  std::atomic<ExponentialKernel> trusted{nullptr};
  std::atomic<bool> is_probed{false};
  // Whether the library reports underflow where a result is 0 because the number is too small for
  // the formula: NumPy 1.24 does, and the hardware does not by itself.
  std::atomic<bool> reports_underflow{false};

  static void Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data);
  ExponentialKernel Trusted();

 private:
  void Compute(ExponentialKernel kernel, const float* x, int64_t count, float* y) const;
  void CallLibrary(const float* x, float* y) const;
  bool LibraryReportsUnderflow() const;
  bool AgreesOn(const float* x, ExponentialKernel kernel) const;
  bool Agrees(ExponentialKernel kernel) const;
};

// Filled at start-up under the GIL, kept as long as the process, as NumPy is.
ExpLoop exp_loop;

void ExpLoop::Compute(ExponentialKernel kernel, const float* x, int64_t count, float* y) const {
  const ExponentialErrors errors = kernel(x, count, y);
  if (errors.overflow) platform::RaiseHardwareFlags(FE_OVERFLOW);
  if (errors.underflow && reports_underflow.load(std::memory_order_relaxed)) {
    platform::RaiseHardwareFlags(FE_UNDERFLOW);
  }
}

void ExpLoop::CallLibrary(const float* x, float* y) const {
  char* args[] = {const_cast<char*>(reinterpret_cast<const char*>(x)), reinterpret_cast<char*>(y)};
  const intptr_t size = kBlock;
  const intptr_t steps[] = {sizeof(float), sizeof(float)};
  library.fn(args, &size, steps, library.data);
}

bool ExpLoop::LibraryReportsUnderflow() const {
  float x[kBlock], y[kBlock];
  std::fill(x, x + kBlock, -200.0f);
  platform::ClearHardwareFlags();
  CallLibrary(x, y);
  return (platform::ErrorFlags() & FE_UNDERFLOW) != 0;
}

bool ExpLoop::AgreesOn(const float* x, ExponentialKernel kernel) const {
  alignas(64) float expected[kBlock], found[kBlock];
  platform::ClearHardwareFlags();
  CallLibrary(x, expected);
  const uint32_t flags = platform::ErrorFlags();
  platform::ClearHardwareFlags();
  Compute(kernel, x, kBlock, found);
  return flags == platform::ErrorFlags() && std::memcmp(expected, found, sizeof(found)) == 0;
}

// A little more than the range of numbers whose exp is neither 0 nor infinite.
constexpr float kLeast = -104.5f;
constexpr float kMost = 88.73f;

// Sample `i` of block `block`: most over the range where exp is a number, denormal ones included.
// Every eighth block has a few special ones, and another has one among numbers near 0, whose flags
// nothing else in the block can hide. Those of block 1 begin with what tells the kernels apart.
float Sample(int block, int i) {
  using Limits = std::numeric_limits<float>;
  constexpr float kSpecial[] = {-200.0f,
                                -Limits::infinity(),
                                Limits::quiet_NaN(),
                                Limits::infinity(),
                                Limits::max(),
                                Limits::lowest(),
                                Limits::denorm_min(),
                                Limits::min(),
                                -Limits::min(),
                                0.0f,
                                -Limits::denorm_min(),
                                -0.0f};
  if (block == 1 && i < std::ssize(kRoundingSamples)) return kRoundingSamples[i];
  if (block % 8 == 0 && i % 64 == 5) return kSpecial[(block / 8 + i / 64) % std::size(kSpecial)];
  if (block % 8 == 5 && i == 77) return kSpecial[block / 8];
  // Multiples of the golden ratio fill [0, 1) evenly.
  const double place = (block * kBlock + i + 1) * 0.6180339887498949;
  const float part = static_cast<float>(place - std::floor(place));
  if (block % 8 == 1 || block % 8 == 5) return (part - 0.5f) * 4.0f;
  if (block % 8 == 2) return std::ldexp(part - 0.5f, -i / 2);
  if (block % 8 == 3) return part * kLeast;
  const float x = kLeast + part * (kMost - kLeast);
  return block % 8 == 4 ? x : std::min(x, kMost - 1);
}

bool ExpLoop::Agrees(ExponentialKernel kernel) const {
  for (int block = 0; block < kSampleBlocks; ++block) {
    alignas(64) float x[kBlock];
    for (int i = 0; i < kBlock; ++i) x[i] = Sample(block, i);
    if (!AgreesOn(x, kernel)) return false;
  }
  return true;
}

// Two threads may both probe; they find the same.
ExponentialKernel ExpLoop::Trusted() {
  if (!is_probed.load(std::memory_order_acquire)) {
    const platform::ScopedFpFlags flags;
    reports_underflow.store(LibraryReportsUnderflow(), std::memory_order_relaxed);
    for (const ExponentialKernel kernel : kernels.of_floats) {
      if (!Agrees(kernel)) continue;
      trusted.store(kernel, std::memory_order_relaxed);
      break;
    }
    is_probed.store(true, std::memory_order_release);
  }
  return trusted.load(std::memory_order_relaxed);
}

// Copies `count` elements.
void Move(const char* from, intptr_t from_step, int64_t count, char* to, intptr_t to_step) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_step, from + i * from_step, sizeof(float));
}

void ExpLoop::Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  ExpLoop& loop = *static_cast<ExpLoop*>(data);
  const ExponentialKernel kernel = loop.Trusted();
  if (kernel == nullptr) return loop.library.fn(args, sizes, steps, loop.library.data);
  constexpr intptr_t kStep = sizeof(float);
  if (steps[0] == kStep && steps[1] == kStep) {
    return loop.Compute(kernel, reinterpret_cast<const float*>(args[0]), sizes[0],
                        reinterpret_cast<float*>(args[1]));
  }
  alignas(64) float block[kBlock];
  for (int64_t at = 0, count; at < sizes[0]; at += count) {
    count = std::min<int64_t>(kBlock, sizes[0] - at);
    Move(args[0] + at * steps[0], steps[0], count, reinterpret_cast<char*>(block), kStep);
    loop.Compute(kernel, block, count, block);
    Move(reinterpret_cast<char*>(block), kStep, count, args[1] + at * steps[1], steps[1]);
  }
}

}  // namespace

kernel::LibraryLoop FastExponentials(DType dtype, kernel::LibraryLoop library) {
  const ExponentialKernels& kernels = platform::ForBestLevel(
      kExponentialKernelsBase, kExponentialKernelsBase, kExponentialKernelsV4);
  if (dtype != DType::kFloat32 || kernels.of_floats[0] == nullptr) return library;
  exp_loop.library = library;
  exp_loop.kernels = kernels;
  exp_loop.trusted = nullptr;
  exp_loop.is_probed = false;
  return {&ExpLoop::Run, &exp_loop};
}

}  // namespace dynacc::cpu
