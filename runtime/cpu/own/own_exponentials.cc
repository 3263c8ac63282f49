#include "runtime/cpu/own/own_exponentials.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime/platform/cpu_level.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

constexpr int64_t kBlock = 256;

float Fused(float a, float b, float c) { return std::fma(a, b, c); }

template <QuotientRounding kRounding>
void Compute(const float* x, int64_t count, float* y) {
  static const ExponentialKernel kernel =
      platform::ForBestLevel(kExponentialKernelsBase, kExponentialKernelsBase,
                             kExponentialKernelsV4)
          .Of(kRounding);
  if (kernel != nullptr) {
    if (kernel(x, count, y).overflow) platform::RaiseHardwareFlags(FE_OVERFLOW);
    return;
  }
  for (int64_t i = 0; i < count; ++i) y[i] = ExponentialOneByOne(kRounding, x[i]);
}

void Move(const char* from, intptr_t from_step, int64_t count, char* to, intptr_t to_step) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_step, from + i * from_step, sizeof(float));
}

template <QuotientRounding kRounding>
void Run(char** args, const intptr_t* sizes, const intptr_t* steps, void*) {
  constexpr intptr_t kStep = sizeof(float);
  if (steps[0] == kStep && steps[1] == kStep) {
    return Compute<kRounding>(reinterpret_cast<const float*>(args[0]), sizes[0],
                              reinterpret_cast<float*>(args[1]));
  }
  alignas(64) float block[kBlock];
  for (int64_t at = 0, count; at < sizes[0]; at += count) {
    count = std::min<int64_t>(kBlock, sizes[0] - at);
    Move(args[0] + at * steps[0], steps[0], count, reinterpret_cast<char*>(block), kStep);
    Compute<kRounding>(block, count, block);
    Move(reinterpret_cast<char*>(block), kStep, count, args[1] + at * steps[1], steps[1]);
  }
}

}  // namespace

// The operations of exponential_kernels_v4.cc on one element. A double holds the product with any
// power of two, so there is one rounding, as there.
float ExponentialOneByOne(QuotientRounding rounding, float x) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (std::isnan(x)) return std::numeric_limits<float>::quiet_NaN();
  if (x >= 88.72283935546875f) return kInfinity;
  if (x <= -103.97208404541015625f) return 0;
  constexpr float kMagic = 0x1.8p23f;  // pushes the fraction out of a float
  constexpr float kPerLn2 = 1.442695040888963407359924681001892137f;
  const float pushed =
      rounding == QuotientRounding::kOnce ? Fused(x, kPerLn2, kMagic) : x * kPerLn2 + kMagic;
  const float k = pushed - kMagic;
  float r = Fused(k, -6.93145752e-1f, x);
  r = Fused(k, -1.42860677e-6f, r);
  float p = Fused(r, 5.082762527590693718096e-04f, 6.757896990527504603057e-03f);
  p = Fused(p, r, 5.114512081637298353406e-02f);
  p = Fused(p, r, 2.473615434895520810817e-01f);
  p = Fused(p, r, 7.257664613233124478488e-01f);
  p = Fused(p, r, 9.999999999980870924916e-01f);
  float q = Fused(r, 2.159509375685829852307e-02f, -2.742335390411667452936e-01f);
  q = Fused(q, r, 1);
  return static_cast<float>(std::ldexp(static_cast<double>(p / q), static_cast<int>(k)));
}

kernel::LibraryLoop ExponentialLoop(QuotientRounding rounding) {
  return {rounding == QuotientRounding::kOnce ? &Run<QuotientRounding::kOnce>
                                              : &Run<QuotientRounding::kTwice>,
          nullptr};
}

}  // namespace dynacc::cpu
