// Functions of one line of elements at a time: what OwnCalls (own_functions.h) do along an axis.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

// A line: `length` elements that lie `step` bytes apart, and where what is made of them goes.
struct Line {
  const char* from;
  int64_t step, length;
  char* to;
  int64_t to_step;
  char* room;  // for LineRoom(dtype, length) bytes
  absl::Span<const int64_t> numbers;
};
using LineFn = void (*)(const Line& line);

// A place for each element, the elements, and as much again as the larger of them.
constexpr int64_t LineRoom(DType dtype, int64_t length) {
  constexpr int64_t kPlace = sizeof(int64_t);
  const int64_t item = ItemSize(dtype);
  return length * (kPlace + item + (item > kPlace ? item : kPlace)) + kPlace;
}

// Null where there is none for the dtype. `numbers` of each:
LineFn FindSort(DType dtype);          // its SortKind
LineFn FindArgSort(DType dtype);       // its SortKind
LineFn FindPartition(DType dtype);     // the places, in order
LineFn FindArgPartition(DType dtype);  // the places, in order
LineFn FindMedian(DType dtype);        // whether sums begin with 0. Gives one element of MedianType
LineFn FindQuantile(DType dtype);      // the bits of a double. Gives one element

// What the median of such elements is of.
constexpr DType MedianType(DType dtype) {
  return dtype == DType::kFloat32 ? DType::kFloat32 : DType::kFloat64;
}

// Where in sorted[0 ... length) one value belongs: before the first element that does not come
// before it, or (`after`) the first that comes after it. `range`: {0, length} at first, then as the
// search for the value before left it; `before`: that value, or the same one. So NumPy narrows its
// search, which shows where the elements are not sorted.
struct SearchRange {
  int64_t low, high;
};
using SearchFn = int64_t (*)(const char* sorted, int64_t length, bool after, const char* value,
                             const char* before, SearchRange& range);
SearchFn FindSearch(DType dtype);

}  // namespace dynacc::cpu
