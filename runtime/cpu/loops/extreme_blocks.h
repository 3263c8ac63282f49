// Greatest and least elements for one instruction-set level: see pairwise_blocks.h.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/cpu/loops/extreme_run.h"

namespace dynacc::cpu {
namespace {

// kSign 1: the greatest; -1: the least. kBytes: of a vector.
template <typename T, int kSign, int kBytes>
class ExtremeOfRun {
 public:
  // The place of the first NaN, or of the first of the elements that are the greatest; n > 0.
  static int64_t Find(const char* data, int64_t n) {
    T best = Element(data, 0);
    int64_t block = 0;  // the first that has it
    for (int64_t i = 0; i < n; i += kFindBlock) {
      const char* const at = data + i * static_cast<int64_t>(sizeof(T));
      const int64_t count = n - i < kFindBlock ? n - i : kFindBlock;
      const T found = BestOf(at, count, best != best ? kMost : best);
      if (found == kMost && HasNan(at, count)) return i + FirstNan(at);
      if (found == best) continue;
      best = found;
      block = i;
    }
    return block + FirstOf(best, data + block * static_cast<int64_t>(sizeof(T)), n - block);
  }

  // acc[i] = the greatest of it and the elements i of all rows, kRowVectors vectors at a time.
  static bool RunRows(const char* data, int64_t row_stride, int64_t rows, int64_t n, char* acc) {
    int64_t i = 0;
    for (; i + kRowVectors * kLanes <= n; i += kRowVectors * kLanes) {
      if (!BestOfColumns<kRowVectors>(data, row_stride, rows, i, acc)) return false;
    }
    for (; i + kLanes <= n; i += kLanes) {
      if (!BestOfColumns<1>(data, row_stride, rows, i, acc)) return false;
    }
    for (; i < n; ++i) {
      if (!BestOfColumn(data, row_stride, rows, i, acc)) return false;
    }
    return true;
  }

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
  static constexpr int64_t kFindBlock = 512;
  static constexpr int kRowVectors = 4;
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
    return Any((nan[0] | nan[1]) | (nan[2] | nan[3]));
  }

  static bool Any(Mask any) {
    if constexpr (kLanes > 8) any |= Moved<8>(any);
    if constexpr (kLanes > 4) any |= Moved<4>(any);
    if constexpr (kLanes > 2) any |= Moved<2>(any);
    any |= Moved<1>(any);
    return any[0] != 0;
  }

  // The first of n elements that equals `value`; there is one.
  static int64_t FirstOf(T value, const char* data, int64_t n) {
    typedef int8_t Bytes __attribute__((vector_size(kLanes)));
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const Bytes found = __builtin_convertvector(Load(data, i) == value - Vector{}, Bytes);
      uint64_t words[(kLanes + 7) / 8] = {};
      __builtin_memcpy(words, &found, sizeof(found));
      for (int word = 0; word < (kLanes + 7) / 8; ++word) {
        if (words[word] != 0) return i + 8 * word + __builtin_ctzll(words[word]) / 8;
      }
    }
    while (Element(data, i) != value) ++i;
    return i;
  }

  // Whether all lanes are numbers that no order of comparisons decides about.
  static bool AreCertain(const Vector* best, int count) {
    Mask doubtful = {};
    for (int k = 0; k < count; ++k) {
      doubtful |= (best[k] == kMost - Vector{}) | (best[k] == Vector{});
    }
    return !Any(doubtful);
  }

  template <int kCount>
  static bool BestOfColumns(const char* data, int64_t row_stride, int64_t rows, int64_t i,
                            char* acc) {
    Vector best[kCount];
    for (int k = 0; k < kCount; ++k) best[k] = WithoutNan(Load(acc, i + k * kLanes));
    for (int64_t row = 0; row < rows; ++row) {
      const char* const at = data + row * row_stride;
#pragma GCC unroll 4
      for (int k = 0; k < kCount; ++k) {
        best[k] = Best(best[k], WithoutNan(Load(at, i + k * kLanes)));
      }
    }
    if (!AreCertain(best, kCount)) return false;
    for (int k = 0; k < kCount; ++k) {
      *reinterpret_cast<UnalignedVector*>(acc + (i + k * kLanes) * sizeof(T)) = best[k];
    }
    return true;
  }

  static bool BestOfColumn(const char* data, int64_t row_stride, int64_t rows, int64_t i,
                           char* acc) {
    T best = ElementWithoutNan(Element(acc, i));
    for (int64_t row = 0; row < rows; ++row) {
      best = BestElement(best, ElementWithoutNan(Element(data + row * row_stride, i)));
    }
    if (best == kMost || best == 0) return false;
    reinterpret_cast<Unaligned*>(acc)[i] = best;
    return true;
  }

  static int64_t FirstNan(const char* data) {
    int64_t i = 0;
    while (Element(data, i) == Element(data, i)) ++i;
    return i;
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
}  // namespace dynacc::cpu
