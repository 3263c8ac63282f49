#include "runtime/cpu/own/own_functions.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/own/einsum.h"
#include "runtime/cpu/own/line_functions.h"
#include "runtime/cpu/own/linear_functions.h"
#include "runtime/cpu/own/number_functions.h"
#include "runtime/cpu/own/order.h"
#include "runtime/ops/element_functions.h"
#include "runtime/platform/fp_flags.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::cpu {
namespace {

using Numbers = absl::Span<const int64_t>;

bool IsReal(DType dtype) { return !IsComplex(dtype); }

// What a function's result is like.
enum class ResultKind : uint8_t { kElements, kPlaces, kMedian, kElement };

struct OwnFunction {
  absl::string_view name;
  LineFn (*find)(DType dtype);  // null: it is no function of lines
  ResultKind result;
  // Whether the numbers behind the axis are such as it takes.
  bool (*accepts)(Numbers rest);
};

bool IsKind(Numbers rest) {
  return rest.size() == 1 && rest[0] >= 0 && rest[0] <= static_cast<int64_t>(SortKind::kStable);
}
bool ArePlaces(Numbers rest) { return !rest.empty(); }
bool IsFlag(Numbers rest) { return rest.size() == 1 && (rest[0] == 0 || rest[0] == 1); }
bool IsFraction(Numbers rest) {
  if (rest.size() != 1) return false;
  const auto fraction = std::bit_cast<double>(rest[0]);
  return fraction >= 0 && fraction <= 1;
}

constexpr OwnFunction kFunctions[] = {
    {"sort", &FindSort, ResultKind::kElements, &IsKind},
    {"argsort", &FindArgSort, ResultKind::kPlaces, &IsKind},
    {"partition", &FindPartition, ResultKind::kElements, &ArePlaces},
    {"argpartition", &FindArgPartition, ResultKind::kPlaces, &ArePlaces},
    {"median", &FindMedian, ResultKind::kMedian, &IsFlag},
    {"quantile", &FindQuantile, ResultKind::kElement, &IsFraction},
    {"searchsorted", nullptr, ResultKind::kPlaces, &IsFlag},
    {"digitize", nullptr, ResultKind::kPlaces, &IsFlag},
};

const OwnFunction* FindFunction(absl::string_view name) {
  for (const OwnFunction& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

bool GivesOneElement(const OwnFunction& function) {
  return function.result == ResultKind::kMedian || function.result == ResultKind::kElement;
}

DType ResultType(const OwnFunction& function, DType dtype) {
  if (function.result == ResultKind::kPlaces) return DType::kInt64;
  return function.result == ResultKind::kMedian ? MedianType(dtype) : dtype;
}

// --- Lines.

constexpr int64_t kAlignment = 64;

struct FreeMemory {
  void operator()(char* memory) const { ::operator delete(memory, std::align_val_t(kAlignment)); }
};
using Room = std::unique_ptr<char, FreeMemory>;

// Null without memory.
Room MakeRoom(int64_t bytes) {
  return Room(static_cast<char*>(::operator new(static_cast<size_t>(std::max<int64_t>(bytes, 1)),
                                                std::align_val_t(kAlignment), std::nothrow)));
}

// The lines of an array along one of its axes, in C order of the others.
class Lines {
 public:
  Lines(const StridedView& view, int axis) : data_(view.data), length_(view.shape[axis]) {
    step_ = view.strides[axis];
    for (int i = 0; i < view.rank; ++i) {
      if (i == axis) continue;
      shape_[rank_] = view.shape[i];
      strides_[rank_++] = view.strides[i];
      count_ *= view.shape[i];
    }
  }

  int64_t count() const { return count_; }
  int64_t length() const { return length_; }
  int64_t step() const { return step_; }

  char* At(int64_t index) const {
    char* at = data_;
    for (int i = rank_ - 1; i >= 0; --i) {
      at += index % shape_[i] * strides_[i];
      index /= shape_[i];
    }
    return at;
  }

 private:
  char* data_;
  int64_t length_, step_, count_ = 1;
  int rank_ = 0;
  int64_t shape_[kMaxRank], strides_[kMaxRank];
};

StridedView Vector(char* data, DType dtype, int64_t length) {
  StridedView vector;
  vector.data = data;
  vector.dtype = dtype;
  vector.rank = 1;
  vector.shape[0] = length;
  vector.strides[0] = ItemSize(dtype);
  return vector;
}

// The elements in C order, as one line; `room` has them, null without memory.
StridedView Flatten(const StridedView& view, Room& room) {
  const int64_t item = ItemSize(view.dtype), size = view.size();
  room = MakeRoom(size * item);
  if (room == nullptr) return {};
  char* to = room.get();
  if (view.rank == 0) {
    std::memcpy(to, view.data, item);
  } else if (size > 0) {
    const Lines lines(view, view.rank - 1);
    for (int64_t line = 0; line < lines.count(); ++line) {
      const char* from = lines.At(line);
      for (int64_t i = 0; i < lines.length(); ++i, from += lines.step(), to += item) {
        std::memcpy(to, from, item);
      }
    }
  }
  return Vector(room.get(), view.dtype, size);
}

// Elements for which it pays to wake another thread.
constexpr int64_t kElementsOfPart = int64_t{1} << 14;

absl::Status RunLines(LineFn run, const Lines& from, DType dtype, const Lines& to,
                      Numbers numbers) {
  const int64_t room = (LineRoom(dtype, from.length()) + kAlignment - 1) / kAlignment * kAlignment;
  const int64_t most = std::max<int64_t>(from.count() * from.length() / kElementsOfPart, 1);
  const auto parts = static_cast<int>(
      std::min({most, from.count(), static_cast<int64_t>(platform::ThreadCount())}));
  const Room rooms = MakeRoom(room * parts);
  if (rooms == nullptr) return absl::ResourceExhaustedError("no memory for a line of elements");
  platform::ParallelFor(parts, [&](int part) {
    const int64_t begin = from.count() * part / parts, end = from.count() * (part + 1) / parts;
    for (int64_t line = begin; line < end; ++line) {
      run({from.At(line), from.step(), from.length(), to.At(line), to.step(),
           rooms.get() + room * part, numbers});
    }
  });
  return absl::OkStatus();
}

// --- Functions.

// Places of a line, counted from its beginning and in order. False if one is beyond it.
bool OrderPlaces(Numbers given, int64_t length, std::vector<int64_t>& places) {
  places.assign(given.begin(), given.end());
  for (int64_t& place : places) {
    if (place < -length || place >= length) return false;
    if (place < 0) place += length;
  }
  std::sort(places.begin(), places.end());
  return true;
}

absl::Status RunAlongAxis(const OwnFunction& function, Numbers numbers, const StridedView& given,
                          const StridedView& result) {
  StridedView array = given, to = result;
  Room flat;
  int axis = 0;
  if (numbers[0] == kFlat || given.rank == 0) {
    array = Flatten(given, flat);
    if (flat == nullptr) return absl::ResourceExhaustedError("no memory for the elements");
    to = Vector(result.data, result.dtype, result.size());
  } else {
    axis = static_cast<int>(numbers[0] < 0 ? numbers[0] + given.rank : numbers[0]);
  }
  const Lines from(array, axis);
  const bool is_one = GivesOneElement(function);
  const int64_t wanted = is_one ? from.count() : array.size();
  if (result.size() != wanted) return absl::AbortedError("a result of another size");
  if (is_one && from.length() == 0) return absl::AbortedError("nothing of no elements");
  Numbers rest = numbers.subspan(1);
  std::vector<int64_t> places;
  if (function.accepts == &ArePlaces) {
    if (!OrderPlaces(rest, from.length(), places))
      return absl::AbortedError("a place beyond the end");
    rest = places;
  }
  if (wanted == 0) return absl::OkStatus();
  // One element of each line lies where the next line's does in C order.
  const StridedView ones = Vector(result.data, result.dtype, result.size());
  StridedView columns = ones;
  columns.rank = 2;
  columns.shape[1] = 1;
  columns.strides[1] = 0;
  return RunLines(function.find(given.dtype), from, given.dtype,
                  is_one ? Lines(columns, 1) : Lines(to, axis), rest);
}

// Searches for each of the values.
absl::Status RunSearch(bool after, const StridedView& sorted, const StridedView& values,
                       const StridedView& result) {
  Room sorted_room, values_room;
  const StridedView line = Flatten(sorted, sorted_room), wanted = Flatten(values, values_room);
  if (sorted_room == nullptr || values_room == nullptr) {
    return absl::ResourceExhaustedError("no memory for the elements");
  }
  if (result.size() != values.size()) return absl::AbortedError("a result of another size");
  const SearchFn find = FindSearch(sorted.dtype);
  SearchRange range = {0, line.shape[0]};
  const int64_t item = ItemSize(values.dtype);
  for (int64_t i = 0; i < wanted.shape[0]; ++i) {
    const char* const value = wanted.data + i * item;
    const int64_t place =
        find(line.data, line.shape[0], after, value, i == 0 ? value : value - item, range);
    std::memcpy(result.data + i * static_cast<int64_t>(sizeof place), &place, sizeof place);
  }
  return absl::OkStatus();
}

// Whether the numbers never fall, or never rise; as NumPy looks at bins.
enum class Course : uint8_t { kRises, kFalls, kNeither };
Course CourseOf(const StridedView& line) {
  const UnaryElementFn cast = FindCastFn(line.dtype, DType::kFloat64);
  const auto at = [&](int64_t i) {
    double value;
    cast(line.data + i * line.strides[0], &value);
    return value;
  };
  const int64_t count = line.shape[0];
  int64_t i = 1;
  while (i < count && at(i) == at(i - 1)) ++i;
  const bool rises = i >= count || at(i - 1) < at(i);
  for (++i; i < count; ++i) {
    if (rises ? at(i - 1) > at(i) : at(i - 1) < at(i)) return Course::kNeither;
  }
  return rises ? Course::kRises : Course::kFalls;
}

// Bins that fall are searched from their end.
absl::Status RunDigitize(bool right, const StridedView& values, const StridedView& bins,
                         const StridedView& result) {
  const Course course = CourseOf(bins);
  if (course == Course::kNeither) {
    return absl::AbortedError("bins must be monotonically increasing or decreasing");
  }
  StridedView line = bins;
  if (course == Course::kFalls) {
    line.data += (line.shape[0] - 1) * line.strides[0];
    line.strides[0] = -line.strides[0];
  }
  DYNACC_RETURN_IF_ERROR(RunSearch(!right, line, values, result));
  for (int64_t i = 0; course == Course::kFalls && i < result.size(); ++i) {
    char* const at = result.data + i * static_cast<int64_t>(sizeof(int64_t));
    int64_t place;
    std::memcpy(&place, at, sizeof place);
    place = line.shape[0] - place;
    std::memcpy(at, &place, sizeof place);
  }
  return absl::OkStatus();
}

// What is wrong with the operands and the result of a function of lines.
std::string WhyNotLines(const OwnFunction& function, const OwnCall& call, OperandType operand,
                        OperandType result) {
  const int64_t axis = call.numbers[0];
  if (axis != kFlat && (axis < -operand.rank || axis >= operand.rank))
    return "there is no such axis";
  const bool is_flat = axis == kFlat;
  const int rank = is_flat && !GivesOneElement(function) ? 1 : operand.rank;
  const bool fits = GivesOneElement(function)
                        ? result.rank == rank || result.rank == (is_flat ? 0 : rank - 1)
                        : result.rank == rank;
  return fits ? "" : "its result has another rank";
}

}  // namespace

bool GivesPlace(const OwnCall& call) { return call.function == "index"; }

bool NeedsLapack(const OwnCall& call) { return absl::StartsWith(call.function, "linalg."); }

std::string WhyNotOwn(const OwnCall& call, absl::Span<const OperandType> operands,
                      OperandType result) {
  if (NeedsLapack(call)) return WhyNotLinear(call, operands, result);
  if (IsNumberFunction(call.function)) return WhyNotNumber(call, operands, result);
  if (call.function == "einsum") return WhyNotEinsum(call, operands, result);
  const OwnFunction* const function = FindFunction(call.function);
  if (function == nullptr) return absl::StrCat("there is no function ", call.function);
  const bool is_search = function->find == nullptr;
  if (operands.size() != (is_search ? 2 : 1)) return "it takes other operands";
  const DType dtype = operands[0].dtype;
  const Numbers numbers = call.numbers;
  if (numbers.empty() || !function->accepts(is_search ? numbers : numbers.subspan(1))) {
    return "it takes other numbers";
  }
  const bool exists = is_search ? FindSearch(dtype) != nullptr : function->find(dtype) != nullptr;
  if (!exists) return absl::StrCat("it is not there for ", Info(dtype).text);
  if (result.dtype != ResultType(*function, dtype)) return "its result is of another type";
  if (!is_search) return WhyNotLines(*function, call, operands[0], result);
  if (operands[1].dtype != dtype) {
    return absl::StrCat("its arrays are of ", Info(dtype).text, " and of ",
                        Info(operands[1].dtype).text, ": convert one of them");
  }
  const bool has_values_first = function->name == "digitize";
  if (has_values_first && !IsReal(dtype)) return "it takes real numbers";
  const OperandType &line = operands[has_values_first ? 1 : 0],
                    &values = operands[has_values_first ? 0 : 1];
  return line.rank == 1 && result.rank == values.rank ? "" : "its result has another rank";
}

absl::Status RunOwn(const OwnCall& call, absl::Span<const StridedView> operands,
                    const StridedView& result, const Lapack* lapack) {
  const platform::ScopedFpFlags flags;
  if (NeedsLapack(call)) return RunLinear(call, *lapack, operands, result);
  if (IsNumberFunction(call.function)) return RunNumber(call, operands, result);
  if (call.function == "einsum") return RunEinsum(call, operands, result);
  const OwnFunction& function = *FindFunction(call.function);
  const bool flag = call.numbers[0] != 0;
  if (function.name == "digitize") return RunDigitize(flag, operands[0], operands[1], result);
  if (function.find == nullptr) return RunSearch(flag, operands[0], operands[1], result);
  return RunAlongAxis(function, call.numbers, operands[0], result);
}

}  // namespace dynacc::cpu
