#include "runtime/cpu/own/line_functions.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "runtime/cpu/own/order.h"

namespace dynacc::cpu {
namespace {

template <typename T>
T Read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
void Write(char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// The line's elements, side by side, in its room.
template <typename T>
T* ElementsOf(const Line& line) {
  // Behind the places, whose alignment is the greater one.
  auto* const elements = reinterpret_cast<T*>(line.room + line.length * sizeof(int64_t));
  for (int64_t i = 0; i < line.length; ++i) {
    std::memcpy(&elements[i], line.from + i * line.step, sizeof(T));
  }
  return elements;
}

// Room for as many items again, behind the elements.
template <typename T, typename Item>
Item* MoreRoom(const Line& line) {
  constexpr int64_t kPlace = sizeof(int64_t);
  const int64_t used = line.length * (kPlace + static_cast<int64_t>(sizeof(T)));
  return reinterpret_cast<Item*>(line.room + (used + kPlace - 1) / kPlace * kPlace);
}

int64_t* PlacesOf(const Line& line) {
  auto* const places = reinterpret_cast<int64_t*>(line.room);
  std::iota(places, places + line.length, 0);
  return places;
}

template <typename T>
void Give(const Line& line, const T* items) {
  for (int64_t i = 0; i < line.length; ++i) Write(line.to + i * line.to_step, items[i]);
}

// Halves are no floats to NumPy's selection.
template <typename T>
constexpr bool kHasNans = std::is_floating_point_v<T> || ComplexType<T>;

template <typename T>
auto InOrder() {
  return [](T a, T b) { return IsBefore(a, b); };
}

template <typename T>
auto BeforeBy(const T* elements) {
  return [elements](int64_t a, int64_t b) { return IsBefore(elements[a], elements[b]); };
}

template <typename T>
struct SortLine {
  static void Run(const Line& line) {
    T* const elements = ElementsOf<T>(line);
    Sort(static_cast<SortKind>(line.numbers[0]), elements, line.length, MoreRoom<T, T>(line),
         InOrder<T>());
    Give(line, elements);
  }
};

template <typename T>
struct ArgSortLine {
  static void Run(const Line& line) {
    int64_t* const places = PlacesOf(line);
    Sort(static_cast<SortKind>(line.numbers[0]), places, line.length, MoreRoom<T, int64_t>(line),
         BeforeBy<T>(ElementsOf<T>(line)));
    Give(line, places);
  }
};

template <typename T>
struct PartitionLine {
  static void Run(const Line& line) {
    T* const elements = ElementsOf<T>(line);
    Select(elements, line.length, line.numbers, kHasNans<T>, InOrder<T>());
    Give(line, elements);
  }
};

template <typename T>
struct ArgPartitionLine {
  static void Run(const Line& line) {
    int64_t* const places = PlacesOf(line);
    Select(places, line.length, line.numbers, kHasNans<T>, BeforeBy<T>(ElementsOf<T>(line)));
    Give(line, places);
  }
};

// As numpy.median: of the one or two in the middle the mean, and NaN if there is one.
template <typename T>
struct MedianLine {
  static void Run(const Line& line) {
    using Result = std::conditional_t<std::is_same_v<T, float>, float, double>;
    T* const elements = ElementsOf<T>(line);
    const int64_t middle = line.length / 2, last = line.length - 1;
    const bool is_even = line.length % 2 == 0;
    int64_t places[3];
    int count = 0;
    if (is_even) places[count++] = middle - 1;
    places[count++] = middle;
    if constexpr (kHasNans<T>) places[count++] = last;
    Select(elements, line.length, absl::MakeConstSpan(places, count), kHasNans<T>, InOrder<T>());
    // A sum that begins with 0 is never -0.0.
    Result sum = line.numbers[0] != 0 ? Result(0.0) : Result(-0.0);
    if (is_even) sum += static_cast<Result>(elements[middle - 1]);
    sum += static_cast<Result>(elements[middle]);
    Result median = sum / Result(is_even ? 2 : 1);
    if constexpr (kHasNans<T>) {
      if (std::isnan(elements[last])) median = elements[last];
    }
    Write(line.to, median);
  }
};

// As numpy.quantile by the method "linear".
template <typename T>
struct QuantileLine {
  static void Run(const Line& line) {
    T* const elements = ElementsOf<T>(line);
    const int64_t last = line.length - 1;
    const T at = static_cast<T>(last) * std::bit_cast<double>(line.numbers[0]);
    const T floor = std::floor(at);
    const bool is_beyond = at >= static_cast<T>(last);
    const int64_t low = is_beyond ? last : static_cast<int64_t>(floor);
    const int64_t high = is_beyond ? last : low + 1;
    const int64_t places[] = {0, low, high, last};
    Select(elements, line.length, places, kHasNans<T>, InOrder<T>());
    const T difference = elements[high] - elements[low];
    // NumPy's index of the last element is -1 here.
    const T part = is_beyond ? at + 1 : at - floor;
    T quantile = part >= T(0.5) ? elements[high] - difference * (1 - part)
                                : elements[low] + difference * part;
    if (std::isnan(elements[last])) quantile = std::numeric_limits<T>::quiet_NaN();
    Write(line.to, quantile);
  }
};

template <typename T>
int64_t SearchOne(const char* sorted, int64_t length, bool after, const char* value,
                  const char* before, SearchRange& range) {
  const T wanted = Read<T>(value);
  const auto comes_before = [after](T a, T b) { return after ? !IsBefore(b, a) : IsBefore(a, b); };
  if (comes_before(Read<T>(before), wanted)) {
    range.high = length;
  } else {
    range = {0, range.high < length ? range.high + 1 : length};
  }
  while (range.low < range.high) {
    const int64_t middle = range.low + (range.high - range.low) / 2;
    if (comes_before(Read<T>(sorted + middle * static_cast<int64_t>(sizeof(T))), wanted)) {
      range.low = middle + 1;
    } else {
      range.high = middle;
    }
  }
  return range.low;
}

// A function for each dtype, or null; NumPy's bools are bytes.
template <typename T>
using ByteOr = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

template <template <typename> class Function, typename T>
constexpr LineFn Sortable() {
  if constexpr (LowPrecisionType<T>)
    return nullptr;
  else
    return &Function<ByteOr<T>>::Run;
}

template <typename T>
constexpr LineFn Averaged() {
  if constexpr (ComplexType<T> || ShortFloatType<T>)
    return nullptr;
  else
    return &MedianLine<ByteOr<T>>::Run;
}

template <typename T>
constexpr SearchFn Searchable() {
  if constexpr (LowPrecisionType<T>)
    return nullptr;
  else
    return &SearchOne<ByteOr<T>>;
}

#define DYNACC_DTYPE(name, text, type, kind, numpy) Sortable<SortLine, type>(),
constexpr LineFn kSorts[] = {
#include "runtime/tensor/dtype.def"
};
#undef DYNACC_DTYPE
#define DYNACC_DTYPE(name, text, type, kind, numpy) Sortable<ArgSortLine, type>(),
constexpr LineFn kArgSorts[] = {
#include "runtime/tensor/dtype.def"
};
#undef DYNACC_DTYPE
#define DYNACC_DTYPE(name, text, type, kind, numpy) Sortable<PartitionLine, type>(),
constexpr LineFn kPartitions[] = {
#include "runtime/tensor/dtype.def"
};
#undef DYNACC_DTYPE
#define DYNACC_DTYPE(name, text, type, kind, numpy) Sortable<ArgPartitionLine, type>(),
constexpr LineFn kArgPartitions[] = {
#include "runtime/tensor/dtype.def"
};
#undef DYNACC_DTYPE
#define DYNACC_DTYPE(name, text, type, kind, numpy) Averaged<type>(),
constexpr LineFn kMedians[] = {
#include "runtime/tensor/dtype.def"
};
#undef DYNACC_DTYPE
#define DYNACC_DTYPE(name, text, type, kind, numpy) Searchable<type>(),
constexpr SearchFn kSearches[] = {
#include "runtime/tensor/dtype.def"
};
#undef DYNACC_DTYPE

}  // namespace

LineFn FindSort(DType dtype) { return kSorts[static_cast<int>(dtype)]; }
LineFn FindArgSort(DType dtype) { return kArgSorts[static_cast<int>(dtype)]; }
LineFn FindPartition(DType dtype) { return kPartitions[static_cast<int>(dtype)]; }
LineFn FindArgPartition(DType dtype) { return kArgPartitions[static_cast<int>(dtype)]; }
LineFn FindMedian(DType dtype) { return kMedians[static_cast<int>(dtype)]; }
LineFn FindQuantile(DType dtype) {
  return dtype == DType::kFloat64 ? &QuantileLine<double>::Run : nullptr;
}
SearchFn FindSearch(DType dtype) { return kSearches[static_cast<int>(dtype)]; }

}  // namespace dynacc::cpu
