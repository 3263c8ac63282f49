// HasBitsOf: functions of our own beside the array library's.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/cpu/own/lapack.h"
#include "runtime/cpu/own/number_functions.h"
#include "runtime/cpu/own/own_functions.h"
#include "runtime/cpu/own/samples.h"
#include "runtime/ops/element_functions.h"

namespace dynacc::cpu {
namespace {

// Around the lengths where the ways of sorting change, and long enough for all of them.
constexpr int64_t kLengths[] = {1, 2, 3, 4, 5, 9, 16, 17, 18, 40, 100, 257, 1000, 3000};

// Those, and some that have all places that the call names.
std::vector<int64_t> LengthsFor(const OwnCall& call) {
  std::vector<int64_t> lengths(std::begin(kLengths), std::end(kLengths));
  constexpr int64_t kMost = int64_t{1} << 20;
  const bool names_places = call.function == "partition" || call.function == "argpartition";
  int64_t longest = 0;
  for (size_t i = 1; names_places && i < call.numbers.size(); ++i) {
    if (call.numbers[i] > -kMost && call.numbers[i] < kMost) {
      longest = std::max(longest, std::abs(call.numbers[i]));
    }
  }
  for (const int64_t more : {1, 2, 50}) {
    if (longest > 0) lengths.push_back(longest + more);
  }
  return lengths;
}

// How the elements of a sample lie.
enum class Pattern : uint8_t { kAny, kFewValues, kSmallInts, kRising, kFalling };
constexpr Pattern kPatterns[] = {Pattern::kAny, Pattern::kFewValues, Pattern::kSmallInts,
                                 Pattern::kRising, Pattern::kFalling};

// An array in C order with memory of its own.
class Sample {
 public:
  Sample(OperandType type, int64_t length, int64_t along) {
    view_.dtype = type.dtype;
    view_.rank = type.rank;
    for (int axis = 0; axis < type.rank; ++axis) view_.shape[axis] = axis == along ? length : 2;
    SetContiguousStrides(view_);
    memory_.resize(view_.size() * ItemSize(type.dtype));
    view_.data = memory_.data();
  }

  void Fill(Pattern pattern, uint64_t seed) {
    const int64_t item = ItemSize(view_.dtype), count = view_.size();
    if (pattern == Pattern::kSmallInts) return FillWithSmallInts(seed);
    FillSamples(view_.dtype, view_.data, count, seed);
    constexpr int64_t kFew = 7;
    if (pattern == Pattern::kFewValues) {
      Bits bits(seed);
      const std::string few(view_.data, std::min(count, kFew) * item);
      for (int64_t i = 0; i < count; ++i) {
        const auto which = static_cast<int64_t>(bits.Next() % (few.size() / item));
        std::memcpy(view_.data + i * item, few.data() + which * item, item);
      }
    }
    if (pattern == Pattern::kRising || pattern == Pattern::kFalling) {
      const std::string given(view_.data, count * item);
      StridedView line = view_, source = view_;
      line.rank = source.rank = 1;
      line.shape[0] = source.shape[0] = count;
      line.strides[0] = source.strides[0] = item;
      source.data = const_cast<char*>(given.data());
      RunOwn({"sort", {0, 2}}, {source}, line).IgnoreError();
      const std::string sorted(view_.data, count * item);
      for (int64_t i = 0; pattern == Pattern::kFalling && i < count; ++i) {
        std::memcpy(view_.data + i * item, sorted.data() + (count - 1 - i) * item, item);
      }
    }
  }

  const StridedView& view() const { return view_; }

 private:
  // Finite numbers, of which many are equal.
  void FillWithSmallInts(uint64_t seed) {
    const int64_t item = ItemSize(view_.dtype), count = view_.size();
    std::vector<char> ints(count);
    FillSamples(DType::kInt8, ints.data(), count, seed);
    const UnaryElementFn cast = FindCastFn(DType::kInt8, view_.dtype);
    for (int64_t i = 0; i < count; ++i) cast(&ints[i], view_.data + i * item);
  }

  std::vector<char> memory_;
  StridedView view_;
};

bool HaveSameElements(const StridedView& a, const StridedView& b) {
  const int64_t item = ItemSize(a.dtype);
  for (int64_t i = 0; i < a.size(); ++i) {
    if (!AreSame(a.data + i * item, b.data + i * item, a.dtype)) return false;
  }
  return true;
}

// --- Linear algebra.

// Sizes below and beyond the blocks that LAPACK divides matrices into.
constexpr int64_t kMatrixSizes[] = {1, 2, 3, 5, 8, 17, 40, 70, 130};

// Matrices that are well conditioned, symmetric and positive definite, and right sides: of type T.
template <typename T>
void FillForLinear(StridedView& view, int64_t n, uint64_t seed) {
  Bits bits(seed);
  auto* const elements = reinterpret_cast<T*>(view.data);
  const int64_t columns = view.rank >= 2 ? view.shape[view.rank - 1] : 1;
  for (int64_t i = 0; i < view.size(); ++i) elements[i] = static_cast<T>(bits.Unit() - 0.5);
  for (int64_t first = 0; columns == n && first + n * n <= view.size(); first += n * n) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        T& element = elements[first + i * n + j];
        element /= static_cast<T>(n);
        elements[first + j * n + i] = element;
      }
      elements[first + i * n + i] += static_cast<T>(1.5);  // large ones: determinants must fit
    }
  }
}

// Operands of a call on matrices of n rows.
std::vector<StridedView> MatricesFor(absl::Span<const OperandType> operands, int64_t n,
                                     std::vector<std::vector<char>>& memory) {
  std::vector<StridedView> views;
  for (const OperandType& operand : operands) {
    StridedView& view = views.emplace_back();
    view.dtype = operand.dtype;
    view.rank = operand.rank;
    const bool is_right = views.size() > 1;
    for (int axis = 0; axis < operand.rank; ++axis) {
      const bool is_leading = axis < operand.rank - 2;
      view.shape[axis] = is_leading ? 2 : is_right && axis == operand.rank - 1 && axis > 0 ? 3 : n;
    }
    SetContiguousStrides(view);
    memory.emplace_back(view.size() * ItemSize(view.dtype));
    view.data = memory.back().data();
    const uint64_t seed = n + views.size();
    operand.dtype == DType::kFloat32 ? FillForLinear<float>(view, n, seed)
                                     : FillForLinear<double>(view, n, seed);
  }
  return views;
}

bool HasLinearBitsOf(LibraryFunction library, const OwnCall& call,
                     absl::Span<const OperandType> operands, OperandType result,
                     const Lapack& lapack) {
  for (const int64_t n : kMatrixSizes) {
    std::vector<std::vector<char>> memory;
    const std::vector<StridedView> views = MatricesFor(operands, n, memory);
    StridedView expected = views.back();
    expected.rank = result.rank;
    SetContiguousStrides(expected);
    StridedView found = expected;
    memory.emplace_back(expected.size() * ItemSize(result.dtype));
    expected.data = memory.back().data();
    memory.emplace_back(expected.size() * ItemSize(result.dtype));
    found.data = memory.back().data();
    const bool is_same = library(views, expected) && RunOwn(call, views, found, &lapack).ok() &&
                         HaveSameElements(expected, found);
    if (!is_same) return false;
  }
  return true;
}

// --- Single numbers.

constexpr int64_t kNumbers = 2048;

bool HasNumberBitsOf(LibraryFunction library, const OwnCall& call,
                     absl::Span<const OperandType> operands, OperandType result) {
  std::vector<std::vector<char>> samples;
  std::vector<StridedView> views(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    samples.emplace_back(kNumbers * ItemSize(operands[i].dtype));
    FillSamples(operands[i].dtype, samples[i].data(), kNumbers, i + 1);
    views[i].dtype = operands[i].dtype;
  }
  alignas(16) char expected_memory[kMaxItemSize] = {}, found_memory[kMaxItemSize] = {};
  StridedView expected, found;
  expected.dtype = found.dtype = result.dtype;
  expected.data = expected_memory;
  found.data = found_memory;
  // NumPy's scalars warn where Python's numbers raise errors, and what warns is not compared.
  const bool raises = call.numbers[0] != 0;
  bool any = false;
  for (int64_t number = 0; number < kNumbers; ++number) {
    for (size_t i = 0; i < views.size(); ++i) {
      views[i].data = samples[i].data() + number * ItemSize(views[i].dtype);
    }
    const bool is_there = library(views, expected), is_ours = RunNumber(call, views, found).ok();
    if (raises ? is_there != is_ours : !is_ours) return false;
    if (!is_there) continue;
    if (!AreSame(expected.data, found.data, result.dtype)) return false;
    any = true;
  }
  return any;
}

// --- Sums of products.

// Sizes of the labels, which take turns: below and beyond the lanes and blocks of NumPy's loops,
// and of the buffers of its iterators.
constexpr int64_t kLabelSizes[][4] = {{1, 2, 3, 4},   {5, 6, 3, 2},   {9, 17, 4, 2}, {33, 5, 8, 1},
                                      {7, 16, 31, 3}, {64, 3, 10, 2}, {300, 2, 1, 2}};
constexpr int64_t kLongAxis = 9000;
constexpr int64_t kMostTerms = int64_t{1} << 22;

// An array of such sizes, of numbers between -1/2 and 1/2 or of any ints, with its axes in memory
// in C order or in the opposite one.
StridedView Filled(DType dtype, absl::Span<const int64_t> shape, bool is_reversed, uint64_t seed,
                   std::vector<char>& memory) {
  StridedView view;
  view.dtype = dtype;
  view.rank = static_cast<int>(shape.size());
  int64_t stride = ItemSize(dtype);
  for (int i = 0; i < view.rank; ++i) {
    const int axis = is_reversed ? i : view.rank - 1 - i;
    view.shape[axis] = shape[axis];
    view.strides[axis] = stride;
    stride *= shape[axis];
  }
  memory.resize(stride);
  view.data = memory.data();
  Bits bits(seed);
  const UnaryElementFn cast = FindCastFn(IsInteger(dtype) ? DType::kInt64 : DType::kFloat64, dtype);
  for (int64_t at = 0; at < stride; at += ItemSize(dtype)) {
    const double number = bits.Unit() - 0.5;
    const auto integer = static_cast<int64_t>(bits.Next());
    cast(IsInteger(dtype) ? static_cast<const void*>(&integer) : &number, view.data + at);
  }
  return view;
}

// Labels in the order in which the call names them first, and what each array has.
struct LabelLists {
  std::vector<int64_t> labels;
  std::vector<std::vector<size_t>> arrays;  // the result's first
};

LabelLists ListsOf(const OwnCall& call) {
  LabelLists lists;
  for (size_t i = 0; i < call.numbers.size(); i += 1 + call.numbers[i]) {
    std::vector<size_t>& places = lists.arrays.emplace_back();
    for (int64_t n = 1; n <= call.numbers[i]; ++n) {
      const int64_t label = call.numbers[i + n];
      const auto found = std::find(lists.labels.begin(), lists.labels.end(), label);
      places.push_back(found - lists.labels.begin());
      if (found == lists.labels.end()) lists.labels.push_back(label);
    }
  }
  return lists;
}

bool HasSumsOf(LibraryFunction library, const OwnCall& call, const LabelLists& lists, DType dtype,
               absl::Span<const int64_t> sizes, bool is_reversed) {
  const auto shape_of = [&](const std::vector<size_t>& places) {
    std::vector<int64_t> shape;
    for (const size_t place : places) shape.push_back(sizes[place]);
    return shape;
  };
  std::vector<std::vector<char>> memory(lists.arrays.size() + 1);
  std::vector<StridedView> views;
  for (size_t i = 1; i < lists.arrays.size(); ++i) {
    views.push_back(Filled(dtype, shape_of(lists.arrays[i]), is_reversed, i, memory[i]));
  }
  const std::vector<int64_t> shape = shape_of(lists.arrays[0]);
  const StridedView expected = Filled(dtype, shape, false, 0, memory[0]);
  const StridedView found = Filled(dtype, shape, false, 0, memory.back());
  // Of arrays in the opposite order NumPy's result may lie so, too, which the graph did not ask
  // for.
  if (!library(views, expected)) return is_reversed;
  return RunOwn(call, views, found).ok() && HaveSameElements(expected, found);
}

bool HasEinsumBitsOf(LibraryFunction library, const OwnCall& call, DType dtype) {
  const LabelLists lists = ListsOf(call);
  const size_t count = lists.labels.size();
  std::vector<std::vector<int64_t>> all;
  for (const auto& sizes : kLabelSizes) {
    for (size_t turn = 0; turn < std::size(sizes); ++turn) {
      std::vector<int64_t>& own = all.emplace_back();
      for (size_t i = 0; i < count; ++i) own.push_back(sizes[(i + turn) % std::size(sizes)]);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    all.emplace_back(count, 2)[i] = kLongAxis;
  }
  for (const std::vector<int64_t>& sizes : all) {
    int64_t terms = 1;
    for (const int64_t size : sizes) terms *= size;
    // Too long, also as elements of an array that has an axis several times.
    if (terms > kMostTerms || (count < 2 && terms > kLongAxis)) continue;
    for (const bool is_reversed : {false, true}) {
      if (!HasSumsOf(library, call, lists, dtype, sizes, is_reversed)) return false;
    }
  }
  return true;
}

// --- The others.

// A function of two arrays, in the lengths of which its result has the sizes of one of them.
bool IsSearch(const OwnCall& call) {
  return call.function == "searchsorted" || call.function == "digitize";
}

// The axis of the first operand, as a call says it: the last one where it says none.
int64_t AxisOf(const OwnCall& call, int rank) {
  const bool has_axis = !IsSearch(call) && call.numbers[0] != kFlat;
  const int64_t axis = has_axis ? call.numbers[0] : -1;
  return axis < 0 ? axis + rank : axis;
}

// The sizes of a result of that type for such operands.
StridedView ResultLike(const OwnCall& call, const Sample& first, const Sample& last,
                       OperandType type) {
  StridedView result = last.view();
  result.dtype = type.dtype;
  const int64_t axis = AxisOf(call, first.view().rank);
  const bool is_flat = !IsSearch(call) && call.numbers[0] == kFlat;
  const bool is_one = call.function == "median" || call.function == "quantile";
  if (is_flat) {
    result.shape[0] = first.view().size();
    for (int i = 0; is_one && i < type.rank; ++i) result.shape[i] = 1;
  } else if (is_one && type.rank == first.view().rank) {
    result.shape[axis] = 1;
  } else if (is_one) {
    std::copy(result.shape + axis + 1, result.shape + result.rank, result.shape + axis);
  }
  result.rank = type.rank;
  SetContiguousStrides(result);
  return result;
}

}  // namespace

bool HasBitsOf(LibraryFunction library, const OwnCall& call, absl::Span<const OperandType> operands,
               OperandType result, const Lapack* lapack) {
  if (NeedsLapack(call)) {
    return lapack != nullptr && HasLinearBitsOf(library, call, operands, result, *lapack);
  }
  if (IsNumberFunction(call.function)) return HasNumberBitsOf(library, call, operands, result);
  if (call.function == "einsum") return HasEinsumBitsOf(library, call, result.dtype);
  bool any = false;
  for (const int64_t length : LengthsFor(call)) {
    for (const Pattern pattern : kPatterns) {
      std::vector<Sample> samples;
      std::vector<StridedView> views;
      for (const OperandType& operand : operands) {
        Sample& sample = samples.emplace_back(operand, length, AxisOf(call, operand.rank));
        sample.Fill(pattern, length + samples.size());
      }
      for (const Sample& sample : samples) views.push_back(sample.view());
      const Sample& like = call.function == "digitize" ? samples.front() : samples.back();
      StridedView expected = ResultLike(call, samples.front(), like, result);
      StridedView found = expected;
      const int64_t bytes = expected.size() * ItemSize(result.dtype);
      std::vector<char> expected_memory(bytes), found_memory(bytes);
      expected.data = expected_memory.data();
      found.data = found_memory.data();
      const bool is_there = RunOwn(call, views, found).ok();
      // It fails on places beyond the end, and where infinities meet.
      if (!library(views, expected)) continue;
      if (!is_there || !HaveSameElements(expected, found)) return false;
      any = true;
    }
  }
  return any;
}

}  // namespace dynacc::cpu
