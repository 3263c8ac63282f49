// 1-D slices in printed loops: what runtime/loops/loop_slices.h does, with the operation of one
// call known. Compiled by Clang inside DynaCC, after windows.h, and false where a window's are.
#pragma once

#include "codegen/loops/windows.h"

namespace dynacc::loops::slices {

using windows::kItem;

struct Slice {
  char* data;
  int64_t step;
  int64_t count;
};

inline Slice SliceIn(const LoopSlot* registers) {
  return {reinterpret_cast<char*>(registers[0].i), registers[1].i, registers[2].i};
}
// A number is an operand of any size.
template <bool kIsSlice>
inline Slice OperandIn(LoopSlot* registers, int64_t count) {
  if constexpr (kIsSlice) {
    return SliceIn(registers);
  } else {
    return {reinterpret_cast<char*>(registers), 0, count};
  }
}
inline void SetSlice(const Slice& slice, LoopSlot* registers) {
  registers[0].i = reinterpret_cast<int64_t>(slice.data);
  registers[1].i = slice.step;
  registers[2].i = slice.count;
}

inline void Copy(const Slice& from, const Slice& to) {
  const auto copy = [&](auto from_step, auto to_step) {
    const char* source = from.data;
    char* __restrict target = to.data;
    for (int64_t i = 0; i < to.count; ++i) {
      StoreElement<double>(target + i * to_step, LoadElement<double>(source + i * from_step));
    }
  };
  if (from.step == kItem && to.step == kItem) {
    copy(windows::Known<kItem>(), windows::Known<kItem>());
  } else {
    copy(from.step, to.step);
  }
}

template <bool kIsLeft, bool kIsRight, typename Operation>
inline bool Compute(const LoopHost* host, int block, int64_t most, LoopSlot* a, LoopSlot* b,
                    Slice* result) {
  const int64_t count = kIsLeft ? a[2].i : b[2].i;
  const Slice left = OperandIn<kIsLeft>(a, count);
  const Slice right = OperandIn<kIsRight>(b, count);
  if (left.count != right.count || count < 1 || count > most) return false;
  *result = {DynaccLoopScratch(host, block, count * kItem), kItem, count};
  const windows::Steps<1> steps = {
      .counts = {count}, .left = {left.step}, .right = {right.step}, .result = {kItem}};
  return windows::Compute<Operation>(steps, left.data, right.data, result->data) == 0;
}

// d = a slice of the operation's results.
template <bool kIsLeft, bool kIsRight, typename Operation>
inline bool Elementwise(const LoopHost* host, int block, int64_t most, LoopSlot* a, LoopSlot* b,
                        LoopSlot* d) {
  Slice result;
  if (!Compute<kIsLeft, kIsRight, Operation>(host, block, most, a, b, &result)) return false;
  SetSlice(result, d);
  return true;
}

// a = the operation's results of a and b.
template <bool kIsRight, typename Operation>
inline bool Update(const LoopHost* host, int block, int64_t most, LoopSlot* a, LoopSlot* b) {
  const Slice target = SliceIn(a);
  Slice result;
  if (target.step < kItem ||
      !Compute<true, kIsRight, Operation>(host, block, most, a, b, &result)) {
    return false;
  }
  Copy(result, target);
  return true;
}

// a = b.
template <bool kIsRight>
inline bool Store(LoopSlot* a, LoopSlot* b) {
  const Slice target = SliceIn(a);
  const Slice value = OperandIn<kIsRight>(b, target.count);
  if (target.step < kItem || value.count != target.count || target.count < 1) return false;
  if constexpr (kIsRight) {
    const char* last = value.data + (value.count - 1) * value.step;
    const char* begin = value.step < 0 ? last : value.data;
    const char* end = (value.step < 0 ? value.data : last) + kItem;
    if (target.data < end && begin < target.data + (target.count - 1) * target.step + kItem) {
      return false;
    }
  }
  Copy(value, target);
  return true;
}

// d = a slice of the elements of a that the ints of b name.
template <typename Int>
inline bool Gather(const LoopHost* host, int block, int64_t most, LoopSlot* a, LoopSlot* b,
                   LoopSlot* d) {
  const Slice base = SliceIn(a);
  const Slice indices = SliceIn(b);
  if (indices.count < 1 || indices.count > most) return false;
  const Slice result = {DynaccLoopScratch(host, block, indices.count * kItem), kItem,
                        indices.count};
  char* __restrict to = result.data;
  for (int64_t i = 0; i < indices.count; ++i) {
    int64_t index = int64_t(LoadElement<Int>(indices.data + i * indices.step));
    if (index < 0) index += base.count;
    if (uint64_t(index) >= uint64_t(base.count)) return false;
    StoreElement<double>(to + i * kItem, LoadElement<double>(base.data + index * base.step));
  }
  SetSlice(result, d);
  return true;
}

// What NumPy's order makes of so many elements, in eight running sums (pairwise_sum.h).
inline constexpr int64_t kBlock = 128;

template <typename Step>
inline double SumOfBlock(const char* data, Step step, int64_t count) {
  const auto at = [&](int64_t i) { return LoadElement<double>(data + i * step); };
  int64_t i = 0;
  double sum = 0;
  if (count >= 8) {
    double sums[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) sums[k] = at(k);
    for (i = 8; i + 8 <= count; i += 8) {
#pragma unroll
      for (int k = 0; k < 8; ++k) sums[k] += at(i + k);
    }
    sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
  for (; i < count; ++i) sum += at(i);
  return sum;
}

// d = the sum of a. The sign of a zero is the library's.
inline bool Sum(LoopSlot* a, LoopSlot* d) {
  const Slice slice = SliceIn(a);
  if (slice.count < 1 || slice.count > kBlock) return false;
  const double sum = slice.step == kItem
                         ? SumOfBlock(slice.data, windows::Known<kItem>(), slice.count)
                         : SumOfBlock(slice.data, slice.step, slice.count);
  if (sum == 0 || windows::IsOdd(sum) != 0) return false;
  d->f = sum;
  return true;
}

}  // namespace dynacc::loops::slices
