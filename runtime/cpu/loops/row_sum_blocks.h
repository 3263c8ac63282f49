// Sums of rows for one instruction-set level: see pairwise_blocks.h.
#pragma once

#include <cstdint>

#include "runtime/cpu/loops/row_sum.h"

namespace dynacc::cpu {
namespace {

// kBytes: of a vector.
template <typename T, int kBytes>
class RowSums {
 public:
  static void Run(const char* data, int64_t row_stride, int64_t rows, int64_t n, char* acc) {
    int64_t i = 0;
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      AddColumns<UnalignedVector, Vector, 4>(data + i * kItem, row_stride, rows, acc + i * kItem);
    }
    for (; i + kLanes <= n; i += kLanes) {
      AddColumns<UnalignedVector, Vector, 1>(data + i * kItem, row_stride, rows, acc + i * kItem);
    }
    for (; i + 3 <= n; i += 3) {
      AddColumns<Unaligned, T, 3>(data + i * kItem, row_stride, rows, acc + i * kItem);
    }
    for (; i < n; ++i) {
      AddColumns<Unaligned, T, 1>(data + i * kItem, row_stride, rows, acc + i * kItem);
    }
  }

 private:
  static constexpr int64_t kItem = sizeof(T);
  static constexpr int kLanes = kBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T UnalignedVector __attribute__((vector_size(kBytes), aligned(1), may_alias));
  typedef T Unaligned __attribute__((aligned(1), may_alias));

  // kCount neighbouring places at once, as each waits for its last addition. The sum is the first
  // operand, whose bits NaNs have that meet.
  template <typename Place, typename Value, int kCount>
  static void AddColumns(const char* data, int64_t row_stride, int64_t rows, char* acc) {
    auto* const to = reinterpret_cast<Place*>(acc);
    Value sums[kCount];
#pragma GCC unroll 4
    for (int k = 0; k < kCount; ++k) sums[k] = to[k];
    for (int64_t row = 0; row < rows; ++row, data += row_stride) {
      const auto* const from = reinterpret_cast<const Place*>(data);
#pragma GCC unroll 4
      for (int k = 0; k < kCount; ++k) sums[k] = sums[k] + from[k];
    }
#pragma GCC unroll 4
    for (int k = 0; k < kCount; ++k) to[k] = sums[k];
  }
};

}  // namespace
}  // namespace dynacc::cpu
