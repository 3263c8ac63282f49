// Windows in printed loops: what runtime/loops/loop_windows.h does, with the ranks, axes and
// operation of one call known. Compiled by Clang inside DynaCC, after prelude.h, loop_objects.h and
// loop_math.h.
//
// They do the usual cases. A function returns false, without an effect, for what is left to the
// runtime's: another order of elements, infinities and NaNs, of which there may be flags to report.
#pragma once

#include "runtime/loops/loop_math.h"
#include "runtime/loops/loop_objects.h"

namespace dynacc::loops::windows {

inline constexpr int64_t kItem = sizeof(double);
inline constexpr double kInfinity = __builtin_inf();

struct Add {
  static constexpr double kFirst = 0;
  static double Of(double a, double b) { return a + b; }
};
struct Subtract {
  static double Of(double a, double b) { return a - b; }
};
struct Multiply {
  static double Of(double a, double b) { return a * b; }
};
struct Divide {
  static double Of(double a, double b) { return a / b; }
};
// A NaN stays.
struct Maximum {
  static constexpr double kFirst = -kInfinity;
  static double Of(double one, double best) { return one > best || one != one ? one : best; }
};
struct Minimum {
  static constexpr double kFirst = kInfinity;
  static double Of(double one, double best) { return one < best || one != one ? one : best; }
};

// A number is a window without axes.
template <int kRank>
struct Window {
  char* data;
  int64_t strides[kRank + 1];
  int64_t counts[kRank + 1];
};

template <int kRank>
inline Window<kRank> WindowIn(LoopSlot* registers) {
  Window<kRank> window = {};
  if constexpr (kRank == 0) {
    window.data = reinterpret_cast<char*>(registers);
  } else {
    window.data = reinterpret_cast<char*>(registers[0].i);
#pragma unroll
    for (int i = 0; i < kRank; ++i) {
      window.strides[i] = registers[1 + 2 * i].i;
      window.counts[i] = registers[2 + 2 * i].i;
    }
  }
  return window;
}

template <int kRank>
inline void SetWindow(const Window<kRank>& window, LoopSlot* registers) {
  registers[0].i = reinterpret_cast<int64_t>(window.data);
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    registers[1 + 2 * i].i = window.strides[i];
    registers[2 + 2 * i].i = window.counts[i];
  }
}

// Whether it has elements, and no more than so many; sets how many.
template <int kRank>
inline bool HasSize(const Window<kRank>& window, int64_t most, int64_t* size) {
  *size = 1;
  bool fits = true;
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    fits = fits && uint64_t(window.counts[i] - 1) < uint64_t(most);
    *size = fits ? *size * window.counts[i] : 1;
    fits = fits && *size <= most;
  }
  return fits;
}

// As IsOrdered in loop_windows.cc.
template <int kRank>
inline bool IsOrdered(const Window<kRank>& window, bool may_repeat) {
  int64_t inner = kItem;
  bool is_ordered = true;
#pragma unroll
  for (int i = kRank - 1; i >= 0; --i) {
    const int64_t stride = window.strides[i];
    if (window.counts[i] == 1 || (stride == 0 && may_repeat)) continue;
    is_ordered = is_ordered && stride >= inner && stride % kItem == 0;
    inner = stride * window.counts[i];
  }
  return is_ordered;
}

template <int kRank>
inline Window<kRank> NewWindow(const int64_t (&counts)[kRank + 1]) {
  Window<kRank> window = {};
  int64_t stride = kItem;
#pragma unroll
  for (int i = kRank - 1; i >= 0; --i) {
    window.counts[i] = counts[i];
    window.strides[i] = stride;
    stride *= counts[i];
  }
  return window;
}

// The bytes from an element to the next, by axis, in each of two windows and a result.
template <int kRank>
struct Steps {
  int64_t counts[kRank + 1];
  int64_t left[kRank + 1];
  int64_t right[kRank + 1];
  int64_t result[kRank + 1];
};

// row(left, right, result) for each row of the innermost axis, in order.
template <int kAxis, int kRank, typename Row>
inline void ForEachRow(const Steps<kRank>& steps, const char* left, const char* right, char* result,
                       Row row) {
  if constexpr (kAxis + 1 >= kRank) {
    row(left, right, result);
  } else {
    for (int64_t i = 0; i < steps.counts[kAxis]; ++i) {
      ForEachRow<kAxis + 1, kRank>(steps, left, right, result, row);
      left += steps.left[kAxis];
      right += steps.right[kAxis];
      result += steps.result[kAxis];
    }
  }
}

inline int64_t IsOdd(double one) { return int64_t(!loop_math::IsFinite(one)); }

// A step that is known, or not.
template <int64_t kStep>
struct Known {
  operator int64_t() const { return kStep; }
};

// Puts the operation's results in a window that was made for them. Returns whether one of them is
// no finite number.
template <typename Operation, int kRank, typename LeftStep, typename RightStep>
inline int64_t ComputeRows(const Steps<kRank>& steps, const char* left, const char* right,
                           char* result, LeftStep left_step, RightStep right_step) {
  int64_t is_odd = 0;
  ForEachRow<0, kRank>(
      steps, left, right, result, [&](const char* one, const char* other, char* __restrict to) {
        for (int64_t i = 0; i < steps.counts[kRank - 1]; ++i) {
          const double value = Operation::Of(LoadElement<double>(one + i * left_step),
                                             LoadElement<double>(other + i * right_step));
          is_odd |= IsOdd(value);
          StoreElement<double>(to + i * kItem, value);
        }
      });
  return is_odd;
}
template <typename Operation, int kRank>
inline int64_t Compute(const Steps<kRank>& steps, const char* left, const char* right,
                       char* result) {
  const int64_t left_step = steps.left[kRank - 1];
  const int64_t right_step = steps.right[kRank - 1];
  const auto rows = [&](auto one, auto other) {
    return ComputeRows<Operation>(steps, left, right, result, one, other);
  };
  if (left_step == kItem && right_step == kItem) return rows(Known<kItem>(), Known<kItem>());
  if (left_step == kItem && right_step == 0) return rows(Known<kItem>(), Known<0>());
  if (left_step == 0 && right_step == kItem) return rows(Known<0>(), Known<kItem>());
  return rows(left_step, right_step);
}

// False if the counts do not fit together.
template <int kRank, int kResultRank>
inline bool Broadcast(const Window<kRank>& window, int64_t (&counts)[kResultRank + 1],
                      int64_t (&steps)[kResultRank + 1]) {
  bool fits = true;
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    constexpr int kMore = kResultRank - kRank;
    if (window.counts[i] == 1) continue;
    fits = fits && (counts[i + kMore] == 1 || counts[i + kMore] == window.counts[i]);
    counts[i + kMore] = window.counts[i];
    steps[i + kMore] = window.strides[i];
  }
  return fits;
}

// d = the operation's results, of a and b broadcast together.
template <int kLeft, int kRight, typename Operation>
inline bool Elementwise(const LoopHost* host, int block, int64_t most, LoopSlot* a, LoopSlot* b,
                        LoopSlot* d) {
  constexpr int kRank = kLeft > kRight ? kLeft : kRight;
  const Window<kLeft> left = WindowIn<kLeft>(a);
  const Window<kRight> right = WindowIn<kRight>(b);
  Steps<kRank> steps = {};
#pragma unroll
  for (int i = 0; i <= kRank; ++i) steps.counts[i] = 1;
  if (!IsOrdered(left, true) || !IsOrdered(right, true) ||
      !Broadcast<kLeft, kRank>(left, steps.counts, steps.left) ||
      !Broadcast<kRight, kRank>(right, steps.counts, steps.right)) {
    return false;
  }
  Window<kRank> result = NewWindow<kRank>(steps.counts);
  int64_t size;
  if (!HasSize(result, most, &size)) return false;
#pragma unroll
  for (int i = 0; i < kRank; ++i) steps.result[i] = result.strides[i];
  result.data = DynaccLoopScratch(host, block, size * kItem);
  if (Compute<Operation>(steps, left.data, right.data, result.data) != 0) return false;
  SetWindow(result, d);
  return true;
}

template <typename Operation>
inline constexpr bool kAdds = false;
template <>
inline constexpr bool kAdds<Add> = true;

// Puts each element with what is at its place in the result.
template <typename Operation, int kRank, typename Step, typename ToStep>
inline void ReduceRows(const Steps<kRank>& steps, const char* data, char* result, Step step,
                       ToStep to_step) {
  ForEachRow<0, kRank>(
      steps, data, nullptr, result, [&](const char* from, const char*, char* __restrict to) {
        for (int64_t i = 0; i < steps.counts[kRank - 1]; ++i) {
          char* const place = to + i * to_step;
          StoreElement<double>(place, Operation::Of(LoadElement<double>(from + i * step),
                                                    LoadElement<double>(place)));
        }
      });
}

// Whether there are zeros of both signs, of which the library's own loops choose one.
template <int kRank>
inline bool HasBothZeros(const Steps<kRank>& steps, const char* data) {
  int64_t signs = 0;
  ForEachRow<0, kRank>(steps, data, nullptr, nullptr, [&](const char* from, const char*, char*) {
    for (int64_t i = 0; i < steps.counts[kRank - 1]; ++i) {
      const double one = LoadElement<double>(from + i * steps.left[kRank - 1]);
      if (one == 0) signs |= __builtin_bit_cast(int64_t, one) < 0 ? 1 : 2;
    }
  });
  return signs == 3;
}

// d = the operation's reduction of a along kAxes, a bit for each: a number, if of all. Sums along
// the innermost axis, of which NumPy has an order of its own, are the runtime's.
template <int kRank, int kAxes, int kKept, typename Operation>
inline bool Reduce(const LoopHost* host, int block, int64_t most, LoopSlot* a, LoopSlot* d) {
  constexpr int kInner = kRank - 1;
  const Window<kRank> window = WindowIn<kRank>(a);
  int64_t size;
  if (!HasSize(window, most, &size) || !IsOrdered(window, false)) return false;
  if (kAdds<Operation> && window.counts[kInner] == 1) return false;
  int64_t kept_counts[kKept + 1] = {};
  int kept = 0;
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    if (((kAxes >> i) & 1) == 0) kept_counts[kept++] = window.counts[i];
  }
  Window<kKept> result = NewWindow<kKept>(kept_counts);
  int64_t results = 1;
#pragma unroll
  for (int i = 0; i < kKept; ++i) results *= kept_counts[i];
  double number;
  result.data = kKept == 0 ? reinterpret_cast<char*>(&number)
                           : DynaccLoopScratch(host, block, results * kItem);
  Steps<kRank> steps = {};
  kept = 0;
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    steps.counts[i] = window.counts[i];
    steps.left[i] = window.strides[i];
    if (((kAxes >> i) & 1) == 0) steps.result[i] = result.strides[kept++];
  }
  for (int64_t i = 0; i < results; ++i) {
    StoreElement<double>(result.data + i * kItem, Operation::kFirst);
  }
  const Known<((kAxes >> kInner) & 1) == 0 ? kItem : 0> to_step;
  if (steps.left[kInner] == kItem) {
    ReduceRows<Operation>(steps, window.data, result.data, Known<kItem>(), to_step);
  } else {
    ReduceRows<Operation>(steps, window.data, result.data, steps.left[kInner], to_step);
  }
  // An infinity or NaN that was added stays, too.
  int64_t is_odd = 0;
  int64_t is_zero = 0;
  for (int64_t i = 0; i < results; ++i) {
    const double one = LoadElement<double>(result.data + i * kItem);
    is_odd |= kAdds<Operation> ? IsOdd(one) : int64_t(one != one);
    is_zero |= int64_t(one == 0);
  }
  if (is_odd != 0) return false;
  if (!kAdds<Operation> && is_zero != 0 && HasBothZeros(steps, window.data)) return false;
  if constexpr (kKept > 0) {
    SetWindow(result, d);
  } else {
    d->f = number;
  }
  return true;
}

template <int kRank>
inline const char* EndOf(const Window<kRank>& window) {
  const char* end = window.data + kItem;
#pragma unroll
  for (int i = 0; i < kRank; ++i) end += window.strides[i] * (window.counts[i] - 1);
  return end;
}

// a = b, of the same shape or a number.
template <int kRank, int kValueRank>
inline bool Store(int64_t most, LoopSlot* a, LoopSlot* b) {
  static_assert(kValueRank == kRank || kValueRank == 0);
  const Window<kRank> target = WindowIn<kRank>(a);
  const Window<kValueRank> value = WindowIn<kValueRank>(b);
  int64_t size;
  if (!HasSize(target, most, &size) || !IsOrdered(target, false) || !IsOrdered(value, true)) {
    return false;
  }
  if (kValueRank > 0 && target.data < EndOf(value) && value.data < EndOf(target)) return false;
  Steps<kRank> steps = {};
  bool fits = true;
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    steps.counts[i] = target.counts[i];
    steps.result[i] = target.strides[i];
    if constexpr (kValueRank > 0) {
      fits = fits && value.counts[i] == target.counts[i];
      steps.left[i] = value.strides[i];
    }
  }
  if (!fits) return false;
  constexpr int kInner = kRank - 1;
  ForEachRow<0, kRank>(
      steps, value.data, nullptr, target.data, [&](const char* from, const char*, char* to) {
        const auto copy = [&](int64_t to_step, int64_t from_step) {
          for (int64_t i = 0; i < steps.counts[kInner]; ++i) {
            StoreElement<double>(to + i * to_step, LoadElement<double>(from + i * from_step));
          }
        };
        if (steps.result[kInner] == kItem && steps.left[kInner] == kItem) {
          copy(kItem, kItem);
        } else {
          copy(steps.result[kInner], steps.left[kInner]);
        }
      });
  return true;
}

}  // namespace dynacc::loops::windows
