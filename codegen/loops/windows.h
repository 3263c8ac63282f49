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

// Of numbers, or of some side by side.
struct Add {
  static constexpr double kFirst = 0;
  template <typename T>
  static T Of(T a, T b) {
    return a + b;
  }
};
struct Subtract {
  template <typename T>
  static T Of(T a, T b) {
    return a - b;
  }
};
struct Multiply {
  template <typename T>
  static T Of(T a, T b) {
    return a * b;
  }
};
struct Divide {
  template <typename T>
  static T Of(T a, T b) {
    return a / b;
  }
};
// A NaN stays.
struct Maximum {
  static constexpr double kFirst = -kInfinity;
  template <typename T>
  static T Of(T one, T best) {
    return ((one > best) | (one != one)) ? one : best;
  }
  // ... if `one` is no NaN: an instruction.
  template <typename T>
  static T OfNumbers(T one, T best) {
    return one > best ? one : best;
  }
};
struct Minimum {
  static constexpr double kFirst = kInfinity;
  template <typename T>
  static T Of(T one, T best) {
    return ((one < best) | (one != one)) ? one : best;
  }
  template <typename T>
  static T OfNumbers(T one, T best) {
    return one < best ? one : best;
  }
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

// Steps of the two of them together. False if they do not fit, or lie in another order.
template <int kLeft, int kRight, int kRank>
inline bool BroadcastBoth(const Window<kLeft>& left, const Window<kRight>& right,
                          Steps<kRank>* steps) {
#pragma unroll
  for (int i = 0; i <= kRank; ++i) steps->counts[i] = 1;
  return IsOrdered(left, true) && IsOrdered(right, true) &&
         Broadcast<kLeft, kRank>(left, steps->counts, steps->left) &&
         Broadcast<kRight, kRank>(right, steps->counts, steps->right);
}

// d = the operation's results, of a and b broadcast together.
template <int kLeft, int kRight, typename Operation>
inline bool Elementwise(const LoopHost* host, int block, int64_t most, LoopSlot* a, LoopSlot* b,
                        LoopSlot* d) {
  constexpr int kRank = kLeft > kRight ? kLeft : kRight;
  const Window<kLeft> left = WindowIn<kLeft>(a);
  const Window<kRight> right = WindowIn<kRight>(b);
  Steps<kRank> steps = {};
  if (!BroadcastBoth(left, right, &steps)) return false;
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

// Numbers side by side.
template <int kLanes>
struct LanesOf {
  using Type = double __attribute__((vector_size(kLanes * sizeof(double)), aligned(8)));
};
template <>
struct LanesOf<1> {
  using Type = double;
};
template <int kLanes>
using Lanes = typename LanesOf<kLanes>::Type;

// Elements that lie side by side, or one for all lanes.
template <int kLanes>
inline Lanes<kLanes> LanesAt(const char* place, Known<kItem>) {
  return LoadElement<Lanes<kLanes>>(place);
}
template <int kLanes>
inline Lanes<kLanes> LanesAt(const char* place, Known<0>) {
  return Lanes<kLanes>{} + LoadElement<double>(place);
}
template <int kLanes>
inline double LanesAt(const char* place, int64_t) {
  static_assert(kLanes == 1);
  return LoadElement<double>(place);
}

// What is reduced: a window's elements, or what an operation gives of those of two.
struct Itself {
  template <typename T>
  static T Of(T a, T) {
    return a;
  }
};

template <typename Source>
inline constexpr bool kIsItself = false;
template <>
inline constexpr bool kIsItself<Itself> = true;

// visit(left, right) for all indices along those of kAxes, in order.
template <int kAxis, int kRank, int kAxes, typename Visit>
inline void ForEachReduced(const Steps<kRank>& steps, const char* left, const char* right,
                           Visit visit) {
  if constexpr (kAxis == kRank) {
    visit(left, right);
  } else if constexpr (((kAxes >> kAxis) & 1) == 0) {
    ForEachReduced<kAxis + 1, kRank, kAxes>(steps, left, right, visit);
  } else {
    for (int64_t i = 0; i < steps.counts[kAxis]; ++i) {
      ForEachReduced<kAxis + 1, kRank, kAxes>(steps, left, right, visit);
      left += steps.left[kAxis];
      right += steps.right[kAxis];
    }
  }
}

// The results along the innermost axis, which is kept, from `first` on, kLanes at a time as long as
// there are so many. Each is computed in NumPy's order.
template <typename Operation, typename Source, int kAxes, int kLanes, int kRank, typename LeftStep,
          typename RightStep>
inline void ReduceLanes(const Steps<kRank>& steps, const char* left, const char* right,
                        char* result, LeftStep left_step, RightStep right_step, int64_t first) {
  const int64_t count = steps.counts[kRank - 1];
  for (; first + kLanes <= count; first += kLanes) {
    Lanes<kLanes> all = Lanes<kLanes>{} + Operation::kFirst;
    decltype(all != all) is_nan = {};
    ForEachReduced<0, kRank, kAxes>(steps, left + first * left_step, right + first * right_step,
                                    [&](const char* place, const char* other) {
                                      const Lanes<kLanes> one =
                                          Source::Of(LanesAt<kLanes>(place, left_step),
                                                     LanesAt<kLanes>(other, right_step));
                                      if constexpr (kAdds<Operation>) {
                                        all = Operation::Of(one, all);
                                      } else {
                                        all = Operation::OfNumbers(one, all);
                                        is_nan |= one != one;
                                      }
                                    });
    all = is_nan ? Lanes<kLanes>{} + __builtin_nan("") : all;
    StoreElement<Lanes<kLanes>>(result + first * kItem, all);
  }
  if constexpr (kLanes > 1) {
    ReduceLanes<Operation, Source, kAxes, (kLanes > 4 ? 4 : 1)>(steps, left, right, result,
                                                                left_step, right_step, first);
  }
}

// ... and along the kept axes from kAxis on.
template <typename Operation, typename Source, int kAxes, int kLanes, int kAxis, int kRank,
          typename LeftStep, typename RightStep>
inline void ReduceToRows(const Steps<kRank>& steps, const char* left, const char* right,
                         char* result, LeftStep left_step, RightStep right_step) {
  if constexpr (kAxis == kRank - 1) {
    ReduceLanes<Operation, Source, kAxes, kLanes>(steps, left, right, result, left_step, right_step,
                                                  0);
  } else {
    const int64_t count = ((kAxes >> kAxis) & 1) != 0 ? 1 : steps.counts[kAxis];
    for (int64_t i = 0; i < count; ++i) {
      ReduceToRows<Operation, Source, kAxes, kLanes, kAxis + 1>(steps, left, right, result,
                                                                left_step, right_step);
      left += steps.left[kAxis];
      right += steps.right[kAxis];
      result += steps.result[kAxis];
    }
  }
}

// ... where the innermost axis is kept. Not inlined: copies of it would take Clang long.
template <typename Operation, typename Source, int kAxes, int kRank>
[[gnu::noinline]] inline void ReduceByLanes(const Steps<kRank>& steps, const char* left,
                                            const char* right, char* result) {
  const int64_t left_step = steps.left[kRank - 1];
  const int64_t right_step = steps.right[kRank - 1];
  const Known<kItem> item;
  const Known<0> none;
  const auto rows = [&](auto one, auto other) {
    ReduceToRows<Operation, Source, kAxes, 8, 0>(steps, left, right, result, one, other);
  };
  if (left_step == kItem && right_step == kItem) return rows(item, item);
  if constexpr (!kIsItself<Source>) {
    if (left_step == kItem && right_step == 0) return rows(item, none);
    if (left_step == 0 && right_step == kItem) return rows(none, item);
  }
  ReduceToRows<Operation, Source, kAxes, 1, 0>(steps, left, right, result, left_step, right_step);
}

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

// Where the result of a reduction along kAxes lies: in the block, or at `number`.
template <int kRank, int kAxes, int kKept>
inline Window<kKept> ResultOf(const LoopHost* host, int block, Steps<kRank>* steps,
                              double* number) {
  int64_t counts[kKept + 1] = {};
  int kept = 0;
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    if (((kAxes >> i) & 1) == 0) counts[kept++] = steps->counts[i];
  }
  Window<kKept> result = NewWindow<kKept>(counts);
  int64_t results = 1;
#pragma unroll
  for (int i = 0; i < kKept; ++i) results *= counts[i];
  result.data = kKept == 0 ? reinterpret_cast<char*>(number)
                           : DynaccLoopScratch(host, block, results * kItem);
  kept = 0;
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    if (((kAxes >> i) & 1) == 0) steps->result[i] = result.strides[kept++];
  }
  return result;
}

// Of what a reduction gave.
struct Oddities {
  bool has_odd = false;  // an infinity or NaN, of extremes a NaN: one that was added stays, too
  bool has_zero = false;
};
template <typename Operation, int kKept>
inline Oddities OdditiesOf(const Window<kKept>& result) {
  int64_t results = 1;
#pragma unroll
  for (int i = 0; i < kKept; ++i) results *= result.counts[i];
  int64_t is_odd = 0;
  int64_t is_zero = 0;
  for (int64_t i = 0; i < results; ++i) {
    const double one = LoadElement<double>(result.data + i * kItem);
    is_odd |= kAdds<Operation> ? IsOdd(one) : int64_t(one != one);
    is_zero |= int64_t(one == 0);
  }
  return {is_odd != 0, is_zero != 0};
}

template <int kKept>
inline void SetResult(const Window<kKept>& result, double number, LoopSlot* d) {
  if constexpr (kKept > 0) {
    SetWindow(result, d);
  } else {
    d->f = number;
  }
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
  Steps<kRank> steps = {};
#pragma unroll
  for (int i = 0; i < kRank; ++i) {
    steps.counts[i] = window.counts[i];
    steps.left[i] = steps.right[i] = window.strides[i];
  }
  double number = Operation::kFirst;
  const Window<kKept> result = ResultOf<kRank, kAxes, kKept>(host, block, &steps, &number);
  if constexpr (((kAxes >> kInner) & 1) == 0) {
    ReduceByLanes<Operation, Itself, kAxes>(steps, window.data, window.data, result.data);
  } else {
    int64_t results = 1;
#pragma unroll
    for (int i = 0; i < kKept; ++i) results *= result.counts[i];
    for (int64_t i = 0; i < results; ++i) {
      StoreElement<double>(result.data + i * kItem, Operation::kFirst);
    }
    const Known<0> to_step;
    if (steps.left[kInner] == kItem) {
      ReduceRows<Operation>(steps, window.data, result.data, Known<kItem>(), to_step);
    } else {
      ReduceRows<Operation>(steps, window.data, result.data, steps.left[kInner], to_step);
    }
  }
  const Oddities found = OdditiesOf<Operation>(result);
  if (found.has_odd) return false;
  if (!kAdds<Operation> && found.has_zero && HasBothZeros(steps, window.data)) return false;
  SetResult(result, number, d);
  return true;
}

// d = the sums along kAxes, of which the innermost is none, of what the operation gives of a and b:
// as Elementwise and Reduce, but what is added up lies nowhere.
template <int kLeft, int kRight, int kAxes, int kKept, typename Operation>
inline bool SumOf(const LoopHost* host, int block, int64_t most, LoopSlot* a, LoopSlot* b,
                  LoopSlot* d) {
  constexpr int kRank = kLeft > kRight ? kLeft : kRight;
  Steps<kRank> steps = {};
  Window<kRank> all = {};
  const Window<kLeft> left = WindowIn<kLeft>(a);
  const Window<kRight> right = WindowIn<kRight>(b);
  if (!BroadcastBoth(left, right, &steps)) return false;
#pragma unroll
  for (int i = 0; i < kRank; ++i) all.counts[i] = steps.counts[i];
  int64_t size;
  if (!HasSize(all, most, &size) || all.counts[kRank - 1] == 1) return false;
  double number = 0;
  const Window<kKept> result = ResultOf<kRank, kAxes, kKept>(host, block, &steps, &number);
  ReduceByLanes<Add, Operation, kAxes>(steps, left.data, right.data, result.data);
  if (OdditiesOf<Add>(result).has_odd) return false;
  SetResult(result, number, d);
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
