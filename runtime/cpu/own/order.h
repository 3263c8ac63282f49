// How the array library orders elements, and the ways in which it sorts: those whose results depend
// on the way, too, because equal elements are told apart (zeros of both signs, places).
//
// The algorithms are textbook ones; their parameters (where short runs begin, which pivot, how
// deep) are facts of NumPy 1.24's npysort (quicksort.cpp, heapsort.cpp, selection.cpp,
// binsearch.cpp), and decide where equal elements end up.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::cpu {

// Whether `a` comes before `b`. NaNs come last. Complex numbers go by their real parts and then by
// their imaginary ones, and those with a NaN come last: R + Rj, R + nanj, nan + Rj, nan + nanj.
template <typename T>
bool IsBefore(T a, T b) {
  if constexpr (ComplexType<T>) {
    const bool a_nan = std::isnan(a.real()), b_nan = std::isnan(b.real());
    if (a_nan != b_nan) return b_nan;
    const bool a_half = std::isnan(a.imag()), b_half = std::isnan(b.imag());
    if (!a_nan && a.real() != b.real()) {
      return std::isless(a.real(), b.real()) ? !a_half || b_half : b_half && !a_half;
    }
    return IsBefore(a.imag(), b.imag());
  } else if constexpr (HalfType<T>) {
    return IsBefore(ToFloat(a), ToFloat(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isless(a, b) || (std::isnan(b) && !std::isnan(a));
  } else {
    return a < b;
  }
}

// --- Sorting. `before(a, b)` compares two items, which are elements or places of elements.

template <typename Item, typename Before>
void HeapSort(Item* first, int64_t count, Before before) {
  Item* const heap = first - 1;  // the children of i are 2 i and 2 i + 1
  const auto sink = [&](int64_t at, int64_t last, Item item) {
    for (int64_t child = 2 * at; child <= last; child = 2 * at) {
      if (child < last && before(heap[child], heap[child + 1])) ++child;
      if (!before(item, heap[child])) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = item;
  };
  for (int64_t at = count / 2; at > 0; --at) sink(at, count, heap[at]);
  for (int64_t last = count; last > 1; --last) {
    const Item item = heap[last];
    heap[last] = heap[1];
    sink(1, last - 1, item);
  }
}

template <typename Item, typename Before>
void InsertionSort(Item* first, Item* last, Before before) {
  for (Item* next = first + 1; next <= last; ++next) {
    const Item item = *next;
    Item* at = next;
    for (; at > first && before(item, at[-1]); --at) *at = at[-1];
    *at = item;
  }
}

// Puts the median of the first, the middle and the last item where the pivot belongs, with all that
// does not come after it before it, and the rest behind it. Returns its place.
template <typename Item, typename Before>
Item* PartitionByMedian(Item* first, Item* last, Before before) {
  Item* const middle = first + (last - first) / 2;
  if (before(*middle, *first)) std::swap(*middle, *first);
  if (before(*last, *middle)) std::swap(*last, *middle);
  if (before(*middle, *first)) std::swap(*middle, *first);
  const Item pivot = *middle;
  Item *left = first, *right = last - 1;
  std::swap(*middle, *right);
  for (;;) {
    do ++left;
    while (before(*left, pivot));
    do --right;
    while (before(pivot, *right));
    if (left >= right) break;
    std::swap(*left, *right);
  }
  std::swap(*left, last[-1]);
  return left;
}

// Quicksort down to short runs. The larger part of what was divided is heapsorted where parts got
// too deep.
template <typename Item, typename Before>
void IntroSort(Item* first, Item* last, int depth, Before before) {
  constexpr int64_t kShortRun = 15;
  if (depth < 0) return HeapSort(first, last - first + 1, before);
  while (last - first > kShortRun) {
    Item* const pivot = PartitionByMedian(first, last, before);
    --depth;
    if (pivot - first < last - pivot) {
      IntroSort(pivot + 1, last, depth, before);
      last = pivot - 1;
    } else {
      IntroSort(first, pivot - 1, depth, before);
      first = pivot + 1;
    }
  }
  InsertionSort(first, last, before);
}

// Keeps the order of equal items: sorted runs, merged two by two. `room`: for as many items.
template <typename Item, typename Before>
void MergeSort(Item* first, int64_t count, Item* room, Before before) {
  constexpr int64_t kRun = 16;
  for (int64_t i = 0; i < count; i += kRun) {
    InsertionSort(first + i, first + std::min(i + kRun, count) - 1, before);
  }
  Item *from = first, *to = room;
  for (int64_t run = kRun; run < count; run *= 2) {
    for (int64_t i = 0; i < count; i += 2 * run) {
      Item *left = from + i, *right = from + std::min(i + run, count);
      Item *const middle = right, *const end = from + std::min(i + 2 * run, count);
      for (Item* next = to + i; next < to + (end - from); ++next) {
        const bool takes_right = right < end && (left == middle || before(*right, *left));
        *next = takes_right ? *right++ : *left++;
      }
    }
    std::swap(from, to);
  }
  if (from != first) std::copy_n(from, count, first);
}

inline int DepthLimit(int64_t count) {
  return count <= 0 ? 0 : 2 * (63 - std::countl_zero(static_cast<uint64_t>(count)));
}

// As the numbers of an OwnCall say it (own_functions.h).
enum class SortKind : int64_t { kQuick = 0, kHeap = 1, kStable = 2 };

// `room`: for as many items.
template <typename Item, typename Before>
void Sort(SortKind kind, Item* items, int64_t count, Item* room, Before before) {
  if (count < 2) return;
  if (kind == SortKind::kHeap) return HeapSort(items, count, before);
  if (kind == SortKind::kStable) return MergeSort(items, count, room, before);
  IntroSort(items, items + count - 1, DepthLimit(count), before);
}

// --- Selection: places of a sorted array, without sorting the rest.

// What earlier selections in the same items found: the places of pivots, the least last.
class Pivots {
 public:
  void Add(int64_t pivot, int64_t wanted) {
    if (pivot == wanted && count_ == kMost) {
      places_[kMost - 1] = pivot;
    } else if (pivot >= wanted && count_ < kMost) {
      places_[count_++] = pivot;
    }
  }

  // Narrows [low, high] to what is not yet divided around `wanted`; false if it is found already.
  bool Narrow(int64_t wanted, int64_t& low, int64_t& high) {
    while (count_ > 0) {
      const int64_t pivot = places_[count_ - 1];
      if (pivot > wanted) {
        high = pivot - 1;
        return true;
      }
      if (pivot == wanted) return false;
      low = pivot + 1;
      --count_;
    }
    return true;
  }

 private:
  static constexpr int kMost = 50;
  int64_t places_[kMost];
  int count_ = 0;
};

template <typename Item, typename Before>
class Selection {
 public:
  // `has_nans`: items may be NaN, and the last place asks for one.
  Selection(Item* items, int64_t count, bool has_nans, Before before)
      : items_(items), count_(count), has_nans_(has_nans), before_(before) {}

  // Afterwards items[wanted] is what a sorted array has there, with nothing after it that comes
  // before it. In the order of places.
  void Select(int64_t wanted, Pivots* pivots) {
    int64_t low = 0, high = count_ - 1;
    if (pivots != nullptr && !pivots->Narrow(wanted, low, high)) return;
    constexpr int64_t kFew = 3;
    if (wanted - low < kFew) {
      SelectLeast(low, high, wanted - low + 1);
      if (pivots != nullptr) pivots->Add(wanted, wanted);
      return;
    }
    if (has_nans_ && wanted == count_ - 1) return SelectGreatest(low, wanted);
    Divide(low, high, wanted, pivots);
    if (pivots != nullptr) pivots->Add(wanted, wanted);
  }

 private:
  bool IsBefore(int64_t a, int64_t b) const { return before_(items_[a], items_[b]); }
  void Swap(int64_t a, int64_t b) { std::swap(items_[a], items_[b]); }

  // The `number` least ones of [low, high], one by one.
  void SelectLeast(int64_t low, int64_t high, int64_t number) {
    for (int64_t at = low; at < low + number; ++at) {
      int64_t least = at;
      for (int64_t i = at + 1; i <= high; ++i) {
        if (IsBefore(i, least)) least = i;
      }
      Swap(at, least);
    }
  }

  void SelectGreatest(int64_t low, int64_t wanted) {
    int64_t greatest = low;
    for (int64_t i = low + 1; i < count_; ++i) {
      if (!IsBefore(i, greatest)) greatest = i;
    }
    Swap(wanted, greatest);
  }

  void Divide(int64_t low, int64_t high, int64_t wanted, Pivots* pivots) {
    int depth = DepthLimit(count_);
    constexpr int64_t kTooFewForMedians = 5;
    while (low + 1 < high) {
      int64_t left = low + 1, right = high;
      if (depth > 0 || right - left < kTooFewForMedians) {
        MedianOfThreeToLow(low, low + (high - low) / 2, high);
      } else {
        Swap(left + MedianOfMedians(left, right - left), low);
        --left;
        ++right;
      }
      --depth;
      const Item pivot = items_[low];
      for (;;) {
        do ++left;
        while (before_(items_[left], pivot));
        do --right;
        while (before_(pivot, items_[right]));
        if (right < left) break;
        Swap(left, right);
      }
      Swap(low, right);
      if (right != wanted && pivots != nullptr) pivots->Add(right, wanted);
      if (right >= wanted) high = right - 1;
      if (right <= wanted) low = left;
    }
    if (high == low + 1 && IsBefore(high, low)) Swap(high, low);
  }

  // The median to `low`, the least one behind it, the greatest to `high`.
  void MedianOfThreeToLow(int64_t low, int64_t middle, int64_t high) {
    if (IsBefore(high, middle)) Swap(high, middle);
    if (IsBefore(high, low)) Swap(high, low);
    if (IsBefore(low, middle)) Swap(low, middle);
    Swap(middle, low + 1);
  }

  // Which of the five from `at` on is their median; they change places.
  int64_t MedianOfFive(int64_t at) {
    if (IsBefore(at + 1, at)) Swap(at + 1, at);
    if (IsBefore(at + 4, at + 3)) Swap(at + 4, at + 3);
    if (IsBefore(at + 3, at)) Swap(at + 3, at);
    if (IsBefore(at + 4, at + 1)) Swap(at + 4, at + 1);
    if (IsBefore(at + 2, at + 1)) Swap(at + 2, at + 1);
    if (!IsBefore(at + 3, at + 2)) return 2;
    return IsBefore(at + 3, at + 1) ? 1 : 3;
  }

  // From `at` on, the place of a pivot that divides well whatever the items are.
  int64_t MedianOfMedians(int64_t at, int64_t count) {
    constexpr int64_t kGroup = 5;
    const int64_t groups = count / kGroup;
    for (int64_t i = 0; i < groups; ++i) {
      Swap(at + i * kGroup + MedianOfFive(at + i * kGroup), at + i);
    }
    constexpr int64_t kFew = 2;
    if (groups > kFew) {
      Selection(items_ + at, groups, has_nans_, before_).Select(groups / 2, nullptr);
    }
    return groups / 2;
  }

  Item* items_;
  int64_t count_;
  bool has_nans_;
  Before before_;
};

// Puts what a sorted array has at the `places`, which are in order and in range, there.
template <typename Item, typename Before>
void Select(Item* items, int64_t count, absl::Span<const int64_t> places, bool has_nans,
            Before before) {
  Pivots pivots;
  Selection<Item, Before> selection(items, count, has_nans, before);
  for (const int64_t place : places) selection.Select(place, &pivots);
}

}  // namespace dynacc::cpu
