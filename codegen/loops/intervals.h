// Guards of printed loops: what ints lie between, computed once before a loop runs. Compiled by
// Clang inside DynaCC, after prelude.h and loop_math.h.
//
// Functions clear `holds` where they cannot say.
#pragma once

#include "runtime/loops/loop_math.h"

namespace dynacc::loops {

// Of an end that is not known (loop_ranges.h) it only holds that lo <= hi.
struct Interval {
  int64_t lo;
  int64_t hi;  // less than lo: there is no such int
};
inline constexpr Interval kNoInt = {1, 0};

inline bool IsEmpty(Interval a) { return a.lo > a.hi; }
inline Interval Only(int64_t a) { return {a, a}; }
inline Interval Union(Interval a, Interval b) {
  if (IsEmpty(a)) return b;
  if (IsEmpty(b)) return a;
  return {a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}
inline Interval Plus(Interval a, Interval b, bool& holds) {
  if (IsEmpty(a) || IsEmpty(b)) return kNoInt;
  Interval sum;
  if (__builtin_add_overflow(a.lo, b.lo, &sum.lo) || __builtin_add_overflow(a.hi, b.hi, &sum.hi)) {
    holds = false;
  }
  return sum;
}
inline Interval Negative(Interval a, bool& holds) {
  if (IsEmpty(a)) return kNoInt;
  if (a.lo == INT64_MIN) holds = false;
  return holds ? Interval{-a.hi, -a.lo} : a;
}
inline Interval Minus(Interval a, Interval b, bool& holds) {
  return Plus(a, Negative(b, holds), holds);
}
inline Interval Times(Interval a, Interval b, bool& holds) {
  if (IsEmpty(a) || IsEmpty(b)) return kNoInt;
  Interval product = kNoInt;
  for (int i = 0; i < 4; ++i) {
    int64_t one;
    if (__builtin_mul_overflow(i < 2 ? a.lo : a.hi, i % 2 == 0 ? b.lo : b.hi, &one)) holds = false;
    product = Union(product, Only(one));
  }
  return product;
}
// By a positive number, rounded down.
inline Interval Quotient(Interval a, int64_t b) {
  return IsEmpty(a) ? kNoInt
                    : Interval{loop_math::FloorDivide(a.lo, b), loop_math::FloorDivide(a.hi, b)};
}
// What range(start, stop, step) gives, for any start and stop of theirs.
inline Interval OfRange(Interval start, Interval stop, int64_t step, bool& holds) {
  if (IsEmpty(start) || IsEmpty(stop)) return kNoInt;
  const Interval last = Plus(stop, Only(step > 0 ? -1 : 1), holds);
  Interval all = step > 0 ? Interval{start.lo, last.hi} : Interval{last.lo, start.hi};
  int64_t way;
  if (IsEmpty(all) || start.lo != start.hi) return all;
  if (__builtin_sub_overflow(all.hi, all.lo, &way)) {
    holds = false;
    return all;
  }
  const int64_t rest = way % (step > 0 ? step : -step);
  return step > 0 ? Interval{all.lo, all.hi - rest} : Interval{all.lo + rest, all.hi};
}
// What a range that has been begun still gives.
inline Interval OfRest(int64_t next, int64_t step, int64_t rounds, int64_t known_step,
                       bool& holds) {
  if (rounds == 0) return kNoInt;
  int64_t last;
  if (step != known_step || __builtin_mul_overflow(rounds - 1, step, &last) ||
      __builtin_add_overflow(next, last, &last)) {
    holds = false;
    return kNoInt;
  }
  return step > 0 ? Interval{next, last} : Interval{last, next};
}
// The ints of `a` from `lo` on, or up to `hi`. Where `a` has no other end, it stays without one.
inline Interval AtLeast(Interval a, bool has_lo, bool has_hi, int64_t lo) {
  if (IsEmpty(a)) return a;
  if (has_lo && a.lo > lo) lo = a.lo;
  return {lo, has_hi || a.hi > lo ? a.hi : lo};
}
inline Interval AtMost(Interval a, bool has_lo, bool has_hi, int64_t hi) {
  if (IsEmpty(a)) return a;
  if (has_hi && a.hi < hi) hi = a.hi;
  return {has_lo || a.lo < hi ? a.lo : hi, hi};
}
inline bool IsWithin(Interval index, int64_t size) {
  return IsEmpty(index) || (index.lo >= 0 && index.hi < size);
}
// Of one index, which may count from the end.
inline bool IsIndex(int64_t index, int64_t size) { return index >= -size && index < size; }

}  // namespace dynacc::loops
