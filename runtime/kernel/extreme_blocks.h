// Greatest and least elements for one instruction-set level: see pairwise_blocks.h.
#pragma once

#include <cstdint>

#include "runtime/kernel/extreme_run.h"

namespace dynacc {
namespace {

// kSign 1: the greatest; -1: the least.
template <typename T, int kSign>
class ExtremeOfRun {
 public:
  static bool Run(const char* data, int64_t n, char* acc) {
    const T start = Element(acc, 0);
    // Comparisons of NaNs would raise a flag, so that there are none is known first.
    if (start != start || HasNan(data, n)) return false;
    const T result = BestElement(start, BestOf(data, n, start));
    if (result == 0) return false;
    *reinterpret_cast<Unaligned*>(acc) = result;
    return true;
  }

 private:
  static constexpr int kLanes = 64 / sizeof(T);
  static constexpr int kAtOnce = 4;
  typedef T Vector __attribute__((vector_size(64)));
  typedef T UnalignedVector __attribute__((vector_size(64), aligned(1), may_alias));
  typedef T Unaligned __attribute__((aligned(1), may_alias));
  typedef decltype(Vector{} != Vector{}) Mask;

  static Vector Load(const char* data, int64_t i) {
    return *reinterpret_cast<const UnalignedVector*>(data + i * sizeof(T));
  }
  static T Element(const char* data, int64_t i) {
    return reinterpret_cast<const Unaligned*>(data)[i];
  }
  static T BestElement(T a, T b) { return kSign > 0 ? (b > a ? b : a) : (b < a ? b : a); }
  static Vector Best(Vector a, Vector b) { return kSign > 0 ? (b > a ? b : a) : (b < a ? b : a); }

  static bool HasNan(const char* data, int64_t n) {
    Mask nan[kAtOnce] = {};
    int64_t i = 0;
    for (; i + kAtOnce * kLanes <= n; i += kAtOnce * kLanes) {
#pragma GCC unroll 4
      for (int k = 0; k < kAtOnce; ++k) {
        const Vector v = Load(data, i + k * kLanes);
        nan[k] |= v != v;
      }
    }
    const Mask any = (nan[0] | nan[1]) | (nan[2] | nan[3]);
    bool found = false;
    for (int lane = 0; lane < kLanes; ++lane) found |= any[lane] != 0;
    for (; i < n; ++i) found |= Element(data, i) != Element(data, i);
    return found;
  }

  static T BestOf(const char* data, int64_t n, T start) {
    Vector best[kAtOnce];
    for (int k = 0; k < kAtOnce; ++k) best[k] = start - Vector{};
    int64_t i = 0;
    for (; i + kAtOnce * kLanes <= n; i += kAtOnce * kLanes) {
#pragma GCC unroll 4
      for (int k = 0; k < kAtOnce; ++k) best[k] = Best(best[k], Load(data, i + k * kLanes));
    }
    const Vector all = Best(Best(best[0], best[1]), Best(best[2], best[3]));
    T result = start;
    for (int lane = 0; lane < kLanes; ++lane) result = BestElement(result, all[lane]);
    for (; i < n; ++i) result = BestElement(result, Element(data, i));
    return result;
  }
};

}  // namespace
}  // namespace dynacc
