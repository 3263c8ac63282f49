// Pairwise sums for one instruction-set level: included by one source file for each level, which is
// compiled for that level and says how many blocks its registers hold. Includes nothing that has
// code of its own, so that no function of a higher level ends up in another file's place.
#pragma once

#include <cstdint>

#include "runtime/cpu/loops/folded_sum.h"
#include "runtime/cpu/loops/pairwise_sum.h"

namespace dynacc::cpu {
namespace {

// kBlocks: summed at a time. kBytes: of a vector; the compiler makes poor code of vectors that are
// wider than the CPU's registers, so that the eight running sums of a block may be several.
template <typename T, int kBlocks, int kBytes>
class PairwiseSums {
 public:
  static void Run(const char* data, int64_t run_stride, int64_t runs, int64_t n, char* acc,
                  int64_t acc_stride) {
    if (n > kMaxElements) {
      for (int64_t r = 0; r < runs; ++r)
        AddTo(acc + r * acc_stride, Long(data + r * run_stride, n));
      return;
    }
    if (n < 8) return RunShort<7>(data, run_stride, runs, n, acc, acc_stride);
    const EvenRuns even(n, run_stride);
    if (even.count > 0) return RunEven(data, run_stride, runs, even, acc, acc_stride);
    const Tree tree(n);
    const int64_t at_once = kMaxSums / tree.count;
    for (int64_t r = 0; r < runs; r += at_once) {
      const int64_t rows = runs - r < at_once ? runs - r : at_once;
      T sums[kMaxSums];
      SumBlocks(data + r * run_stride, run_stride, rows, tree, sums);
      for (int64_t i = 0; i < rows; ++i) {
        AddTo(acc + (r + i) * acc_stride, tree.Combine(sums + i * tree.count));
      }
    }
  }

  static void FinishFolded(const FoldedRun& run, const char* sums, const char* tails, int64_t rows,
                           char* acc, int64_t acc_stride) {
    const int64_t at_once = kMaxSums / run.count;
    for (int64_t r = 0; r < rows; r += at_once) {
      const int64_t some = rows - r < at_once ? rows - r : at_once;
      T totals[kMaxSums];
      AddAcross<kBlocks>(sums + r * run.count * kEightBytes, some * run.count, totals);
      for (int64_t i = 0; i < some; ++i) {
        T* const row = totals + i * run.count;
        const char* const tail = tails + ((r + i + 1) * kFoldTail - run.tail) * kItem;
        for (int k = 0; k < run.tail; ++k) row[run.count - 1] += Element(tail, k);
        AddTo(acc + (r + i) * acc_stride, CombineFolded(run, row));
      }
    }
  }

 private:
  static constexpr int64_t kItem = sizeof(T);
  static constexpr int64_t kEightBytes = 8 * kItem;
  static constexpr int kLanes = kBytes / sizeof(T);
  static constexpr int kParts = 8 / kLanes;
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T UnalignedVector __attribute__((vector_size(kBytes), aligned(1), may_alias));
  typedef T Unaligned __attribute__((aligned(1), may_alias));

  // A run of this many elements or fewer has at most kMaxBlocks blocks: a half is never shorter
  // than 64.
  static constexpr int64_t kMaxElements = 8192;
  static constexpr int64_t kMaxBlocks = 128;
  static constexpr int64_t kMaxSums = 128;

  // Runs of fewer than eight elements, a length that the compiler knows: points and the like.
  template <int kLength>
  static void RunShort(const char* data, int64_t run_stride, int64_t runs, int64_t n, char* acc,
                       int64_t acc_stride) {
    if constexpr (kLength > 0) {
      if (n != kLength) {
        return RunShort<kLength - 1>(data, run_stride, runs, n, acc, acc_stride);
      }
    }
    for (int64_t r = 0; r < runs; ++r, data += run_stride, acc += acc_stride) {
      T sum = 0;
#pragma GCC unroll 7
      for (int i = 0; i < kLength; ++i) sum += Element(data, i);
      AddTo(acc, sum);
    }
  }

  // Runs whose blocks all have one length, full eights, so that the tree is full and each of many
  // begins as far from the one before it.
  struct EvenRuns {
    EvenRuns(int64_t n, int64_t run_stride) : length(n) {
      for (; length > 128 && length % 16 == 0; length /= 2) count *= 2;
      is_dense = count == 1 || run_stride == n * kItem;
      spacing = count == 1 ? run_stride : length * kItem;
      if (length > 128 || length % 8 != 0 || (!is_dense && count < kBlocks)) count = 0;
    }
    int64_t length;
    int64_t count = 1;  // of a run; 0: these are others
    int64_t spacing;
    bool is_dense;  // the blocks of all runs are as far from each other
  };

  static void RunEven(const char* data, int64_t run_stride, int64_t runs, const EvenRuns& even,
                      char* acc, int64_t acc_stride) {
    const int64_t at_once = even.is_dense ? kMaxSums / even.count : 1;
    for (int64_t r = 0; r < runs; r += at_once) {
      const int64_t rows = runs - r < at_once ? runs - r : at_once;
      T sums[kMaxSums];
      SumEvenBlocks<kBlocks>(data + r * run_stride, even, rows * even.count, sums);
      for (int64_t i = 0; i < rows; ++i) {
        AddTo(acc + (r + i) * acc_stride, CombineAll(sums + i * even.count, even.count));
      }
    }
  }

  template <int kCount>
  static void SumEvenBlocks(const char* from, const EvenRuns& even, int64_t blocks, T* sums) {
    for (; blocks >= kCount; blocks -= kCount, from += kCount * even.spacing, sums += kCount) {
      SumEven<kCount>(from, even.spacing, even.length, sums);
    }
    if constexpr (kCount > 1) SumEvenBlocks<kCount / 2>(from, even, blocks, sums);
  }

  template <int kCount>
  static void SumEven(const char* from, int64_t spacing, int64_t length, T* sums) {
    Eight sum[kCount];
#pragma GCC unroll 8
    for (int k = 0; k < kCount; ++k) sum[k] = Load(from + k * spacing);
    for (int64_t i = 8; i < length; i += 8) {
#pragma GCC unroll 8
      for (int k = 0; k < kCount; ++k) Add(sum[k], from + k * spacing + i * sizeof(T));
    }
    Across<kCount>(sum, sums);
  }

  // Eight running sums of each block, which lie one after the other, to one.
  template <int kCount>
  static void AddAcross(const char* from, int64_t blocks, T* sums) {
    for (; blocks >= kCount; blocks -= kCount, from += kCount * kEightBytes, sums += kCount) {
      Eight eights[kCount];
#pragma GCC unroll 8
      for (int k = 0; k < kCount; ++k) eights[k] = Load(from + k * kEightBytes);
      Across<kCount>(eights, sums);
    }
    if constexpr (kCount > 1) AddAcross<kCount / 2>(from, blocks, sums);
  }

  static T CombineFolded(const FoldedRun& run, T* sums) {
    if (run.is_full) return CombineAll(sums, run.count);
    const T* next = sums;
    return Tree::Walk(run.n, next);
  }

  // The sum over a full tree with so many leaves, a power of two.
  static T CombineAll(T* sums, int64_t count) {
    for (; count >= 8; count /= 8) {
      for (int64_t i = 0; i < count / 8; ++i) sums[i] = OfEight(sums + 8 * i);
    }
    for (; count > 1; count /= 2) {
      for (int64_t i = 0; i < count / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
    }
    return sums[0];
  }

  static T OfEight(const T* r) {
    return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  }

  // The blocks of a run of n elements.
  struct Tree {
    explicit Tree(int64_t n) : n(n) {
      int64_t length = n, blocks = 1;
      for (; length > 128 && length % 16 == 0; length /= 2) blocks *= 2;
      even = length <= 128;
      if (even) {
        for (int64_t i = 0; i < blocks; ++i) Add(i * length, length);
      } else {
        Split(0, n);
      }
    }
    void Add(int64_t at, int64_t length) {
      begin[count] = static_cast<int32_t>(at);
      lengths[count++] = static_cast<int32_t>(length);
    }
    void Split(int64_t at, int64_t length) {
      const int64_t half = PairwiseHalf(length);
      if (half == 0) return Add(at, length);
      Split(at, half);
      Split(at + half, length - half);
    }
    // The run's sum, from its blocks'.
    T Combine(T* sums) const {
      if (even) return CombineAll(sums, count);
      const T* next = sums;
      return Walk(n, next);
    }
    static T Walk(int64_t n, const T*& next) {
      const int64_t half = PairwiseHalf(n);
      if (half == 0) return *next++;
      const T left = Walk(half, next);
      return left + Walk(n - half, next);
    }

    int64_t n;
    int64_t count = 0;
    bool even;  // all blocks are of one length, so the tree is full
    int32_t begin[kMaxBlocks];
    int32_t lengths[kMaxBlocks];
  };

  static void AddTo(char* acc, T sum) {
    Unaligned* const to = reinterpret_cast<Unaligned*>(acc);
    *to = *to + sum;
  }

  static T Long(const char* data, int64_t n) {
    T sum = 0;
    if (n <= kMaxElements) {
      Run(data, 0, 1, n, reinterpret_cast<char*>(&sum), 0);
      return sum;
    }
    const int64_t half = PairwiseHalf(n);
    sum = Long(data, half);
    return sum + Long(data + half * kItem, n - half);
  }

  // The sums of all blocks of `rows` runs, one run's after the other's.
  static void SumBlocks(const char* data, int64_t run_stride, int64_t rows, const Tree& tree,
                        T* sums) {
    const char* at[kBlocks];
    int32_t lengths[kBlocks];
    int waiting = 0;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = 0; i < tree.count; ++i) {
        at[waiting] = data + row * run_stride + tree.begin[i] * kItem;
        lengths[waiting] = tree.lengths[i];
        if (++waiting < kBlocks) continue;
        SumGroup<kBlocks>(at, lengths, sums);
        sums += kBlocks;
        waiting = 0;
      }
    }
    SumRest<kBlocks / 2>(at, lengths, waiting, sums);
  }

  template <int kCount>
  static void SumRest(const char* const* at, const int32_t* lengths, int waiting, T* sums) {
    if constexpr (kCount > 0) {
      if (waiting >= kCount) {
        SumGroup<kCount>(at, lengths, sums);
        at += kCount;
        lengths += kCount;
        sums += kCount;
        waiting -= kCount;
      }
      SumRest<kCount / 2>(at, lengths, waiting, sums);
    }
  }

  // Eight running sums.
  struct Eight {
    Vector part[kParts];
  };

  static Eight Load(const char* from) {
    Eight eight;
#pragma GCC unroll 8
    for (int p = 0; p < kParts; ++p) {
      eight.part[p] = *reinterpret_cast<const UnalignedVector*>(from + p * kBytes);
    }
    return eight;
  }
  static void Add(Eight& sum, const char* from) {
#pragma GCC unroll 8
    for (int p = 0; p < kParts; ++p) {
      sum.part[p] += *reinterpret_cast<const UnalignedVector*>(from + p * kBytes);
    }
  }
  static T Element(const char* from, int64_t i) {
    return reinterpret_cast<const Unaligned*>(from)[i];
  }

  // Blocks of up to 128 elements, side by side as far as the shortest goes.
  template <int kCount>
  static void SumGroup(const char* const* at, const int32_t* lengths, T* sums) {
    int64_t common = lengths[0];
    for (int k = 1; k < kCount; ++k) common = lengths[k] < common ? lengths[k] : common;
    if (common < 8) {
      for (int k = 0; k < kCount; ++k) sums[k] = Short(at[k], lengths[k]);
      return;
    }
    common -= common % 8;
    Eight sum[kCount];
#pragma GCC unroll 8
    for (int k = 0; k < kCount; ++k) sum[k] = Load(at[k]);
    for (int64_t i = 8; i < common; i += 8) {
#pragma GCC unroll 8
      for (int k = 0; k < kCount; ++k) Add(sum[k], at[k] + i * sizeof(T));
    }
    for (int k = 0; k < kCount; ++k) {
      for (int64_t i = common; i + 8 <= lengths[k]; i += 8) Add(sum[k], at[k] + i * sizeof(T));
    }
    Across<kCount>(sum, sums);
    for (int k = 0; k < kCount; ++k) {
      for (int64_t i = lengths[k] & -8; i < lengths[k]; ++i) sums[k] += Element(at[k], i);
    }
  }

  static T Short(const char* from, int64_t n) {
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += Element(from, i);
    return sum;
  }

  // The neighbours of a and b added up: a's four sums, then b's.
  static Vector Neighbours(Vector a, Vector b) {
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
  }

  // sums[k] = ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)) of sum[k].
  template <int kCount>
  static void Across(const Eight* sum, T* sums) {
    if constexpr (kCount == 1 || kParts > 1) {
      for (int k = 0; k < kCount; ++k) {
        T r[8];
        __builtin_memcpy(r, &sum[k], sizeof(r));
        sums[k] = OfEight(r);
      }
    } else {
      constexpr int kLast = kCount - 1;
      Vector four[2];
      for (int k = 0; k < (kCount + 3) / 4; ++k) {
        const int last = 4 * k + 3 < kLast ? 4 * k + 3 : kLast;
        four[k] = Neighbours(Neighbours(sum[4 * k].part[0], sum[4 * k + 1].part[0]),
                             Neighbours(sum[last - 1].part[0], sum[last].part[0]));
      }
      const Vector all = Neighbours(four[0], four[kCount > 4 ? 1 : 0]);
      for (int k = 0; k < kCount; ++k) sums[k] = all[k];
    }
  }
};

}  // namespace
}  // namespace dynacc::cpu
