// Greatest and least elements for one instruction-set level: see pairwise_blocks.h.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/kernel/extreme_run.h"

namespace dynacc {
namespace {

// kSign 1: the greatest; -1: the least. kBytes: of a vector.
template <typename T, int kSign, int kBytes>
class ExtremeOfRun {
 public:
  static bool Run(const char* data, int64_t n, char* acc) {
    const T start = Element(acc, 0);
    if (start != start) return false;
    const T result = BestElement(start, BestOf(data, n, start));
    if (result == 0 || (result == kMost && HasNan(data, n))) return false;
    *reinterpret_cast<Unaligned*>(acc) = result;
    return true;
  }

 private:
  static constexpr int kLanes = kBytes / sizeof(T);
  static constexpr int kAtOnce = 4;
  static constexpr T kMost = kSign * __builtin_huge_valf();
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T UnalignedVector __attribute__((vector_size(kBytes), aligned(1), may_alias));
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

  // To ask whether a NaN is greater would raise a flag, so the greatest number takes its place.
  static T ElementWithoutNan(T a) { return a == a ? a : kMost; }
  static Vector WithoutNan(Vector a) { return a == a ? a : kMost - Vector{}; }

  // Lanes moved by kBy, around the end.
  template <int kBy, typename V, size_t... kLane>
  static V Moved(V v, std::index_sequence<kLane...>) {
    return __builtin_shufflevector(v, v, ((kLane + kBy) % kLanes)...);
  }
  template <int kBy, typename V>
  static V Moved(V v) {
    return Moved<kBy>(v, std::make_index_sequence<kLanes>());
  }

  // Calls visit(k, vector) for vectors that cover the run, which has kLanes elements or more: what
  // is left at its end with some elements again.
  template <typename Visit>
  static void ForEachVector(const char* data, int64_t n, const Visit& visit) {
    int64_t i = 0;
    for (; i + kAtOnce * kLanes <= n; i += kAtOnce * kLanes) {
#pragma GCC unroll 4
      for (int k = 0; k < kAtOnce; ++k) visit(k, Load(data, i + k * kLanes));
    }
    for (; i + kLanes <= n; i += kLanes) visit(0, Load(data, i));
    if (i < n) visit(1, Load(data, n - kLanes));
  }

  static bool HasNan(const char* data, int64_t n) {
    bool found = false;
    if (n < kLanes) {
      for (int64_t i = 0; i < n; ++i) found |= Element(data, i) != Element(data, i);
      return found;
    }
    Mask nan[kAtOnce] = {};
    ForEachVector(data, n, [&nan](int k, Vector v) { nan[k] |= v != v; });
    Mask any = (nan[0] | nan[1]) | (nan[2] | nan[3]);
    if constexpr (kLanes > 8) any |= Moved<8>(any);
    if constexpr (kLanes > 4) any |= Moved<4>(any);
    if constexpr (kLanes > 2) any |= Moved<2>(any);
    any |= Moved<1>(any);
    return any[0] != 0;
  }

  static T BestOf(const char* data, int64_t n, T start) {
    if (n < kLanes) {
      for (int64_t i = 0; i < n; ++i) {
        start = BestElement(start, ElementWithoutNan(Element(data, i)));
      }
      return start;
    }
    Vector best[kAtOnce];
    for (int k = 0; k < kAtOnce; ++k) best[k] = start - Vector{};
    ForEachVector(data, n, [&best](int k, Vector v) { best[k] = Best(best[k], WithoutNan(v)); });
    Vector all = Best(Best(best[0], best[1]), Best(best[2], best[3]));
    if constexpr (kLanes > 8) all = Best(all, Moved<8>(all));
    if constexpr (kLanes > 4) all = Best(all, Moved<4>(all));
    if constexpr (kLanes > 2) all = Best(all, Moved<2>(all));
    return BestElement(all[0], all[1]);
  }
};

}  // namespace
}  // namespace dynacc
