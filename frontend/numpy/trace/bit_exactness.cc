#include "frontend/numpy/trace/bit_exactness.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "runtime/executor/reduce_calls.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/cast_value.h"
#include "runtime/ops/element_functions.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::numpy {
namespace {

// What some hundred elements must have in common with what loops treat in vectors: a prime, so that
// there is a rest.
constexpr int kSamples = 331;
constexpr int64_t kGap = 3;  // elements from one to the next where there are gaps

// Keeps the floating-point flags that samples raise from the program.
class FlagsKept {
 public:
  FlagsKept() { std::feholdexcept(&environment_); }
  ~FlagsKept() { std::fesetenv(&environment_); }
  FlagsKept(const FlagsKept&) = delete;
  FlagsKept& operator=(const FlagsKept&) = delete;

 private:
  std::fenv_t environment_;
};

// Sample number `i` of `dtype` as a float: special values first, then ones of all magnitudes, most
// of them around 1. `seed` tells operands apart.
double FloatSample(int i, int seed) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  static constexpr double kSpecial[] = {
      0.0, -0.0,  1.0, -1.0, 0.5, 2.0, -2.0, kInf, -kInf, std::numeric_limits<double>::quiet_NaN(),
      3.0, 1e-40, 1e38};
  constexpr int kNumSpecial = sizeof(kSpecial) / sizeof(kSpecial[0]);
  const int place = i * (seed + 1) + 5 * seed;
  // Each beside each.
  if (i < kNumSpecial * kNumSpecial) {
    return kSpecial[seed % 2 == 0 ? i % kNumSpecial : i / kNumSpecial];
  }
  const double phase = std::sin(12.9898 * (i + 1) + 78.233 * seed);
  static constexpr double kScales[] = {1.0, 1.0, 10.0, 0.01, 1000.0, 1.0, 300.0};
  return phase * kScales[place % 7];
}

uint64_t Bits(int i, int seed) {
  uint64_t x = 0x9E3779B97F4A7C15u * static_cast<uint64_t>(i + 1 + 1000 * seed);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 27);
}

template <typename T>
T Sample(int i, int seed) {
  if constexpr (ComplexType<T>) {
    using Part = typename T::value_type;
    return T(static_cast<Part>(FloatSample(i, seed)),
             static_cast<Part>(FloatSample((7 * i + 3) % kSamples, seed + 2)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(FloatSample(i, seed));
  } else if constexpr (std::is_same_v<T, bool>) {
    return (Bits(i, seed) & 1) != 0;
  } else {
    // Small and large ones, and a small one as every other second operand, for shifts and divisors.
    const uint64_t bits = Bits(i, seed);
    const bool small = i % 3 == 0 || (seed == 1 && i % 2 == 0);
    return static_cast<T>(small ? bits % 17 : bits);
  }
}

template <typename T>
void FillSamples(char* to, int64_t step, int seed) {
  for (int i = 0; i < kSamples; ++i) {
    T value;
    if constexpr (ShortFloatType<T>) {
      const double wide = FloatSample(i, seed);
      value = CastValue<T>(wide);
    } else {
      value = Sample<T>(i, seed);
    }
    std::memcpy(to + i * step, &value, sizeof(T));
  }
}

using FillFn = void (*)(char*, int64_t, int);
constexpr FillFn kFill[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) &FillSamples<type>,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};

// Elements of one dtype, one after the other or with gaps between them.
struct Elements {
  Elements(DType dtype, int64_t gap) : size(ItemSize(dtype)), step(gap * size) {
    memory.resize(kSamples * step + 2 * kernel::kLoopGap);
  }
  char* data() { return memory.data() + kernel::kLoopGap; }
  const char* at(int i) { return data() + i * step; }

  int64_t size;
  int64_t step;
  std::vector<char> memory;
};

struct Case {
  Op op;
  DType dtype;
  int num_inputs;
  kernel::LibraryLoop loop;
  bool nans_are_one = false;  // one NaN is as good as another

  int size() const { return ItemSize(dtype); }
  DType result() const { return ResultOf(op, dtype); }
};

// How operands lie: elements from one to the next, 0 for one number for all; negative: backwards.
struct Layout {
  int64_t a, b, result;
};

// Elements of `gap` from one to the next for an operand, or room for one number for all.
Elements Room(DType dtype, int64_t gap) { return {dtype, gap == 0 ? 1 : std::abs(gap)}; }

// Samples for operand `seed` in `room`; its first element.
char* Fill(DType dtype, Elements& room, int64_t gap, int seed) {
  char* const first = room.data() + (gap < 0 ? (kSamples - 1) * room.step : 0);
  kFill[static_cast<int>(dtype)](first, gap < 0 ? -room.step : room.step, seed);
  return first;
}

// The results of the loop on samples; where an operand is one number, it is that of sample `pick`.
Elements Run(const Case& test, const Layout& layout, int pick) {
  Elements operands[] = {Room(test.dtype, layout.a), Room(test.dtype, layout.b)};
  Elements result(ResultOf(test.op, test.dtype), layout.result);
  char* args[3];
  intptr_t steps[3];
  const int64_t gaps[] = {layout.a, layout.b};
  for (int k = 0; k < test.num_inputs; ++k) {
    args[k] = Fill(test.dtype, operands[k], gaps[k], k);
    if (gaps[k] == 0) args[k] += pick * operands[k].step;
    steps[k] = gaps[k] * operands[k].size;
  }
  args[test.num_inputs] = result.data();
  steps[test.num_inputs] = result.step;
  const intptr_t count = kSamples;
  test.loop.fn(args, &count, steps, test.loop.data);
  return result;
}

// The same where the result takes the place of the first operand.
Elements RunInPlace(const Case& test) {
  Elements a(test.dtype, 1);
  Elements b(test.dtype, 1);
  char* const first = Fill(test.dtype, a, 1, 0);
  char* const second = Fill(test.dtype, b, 1, 1);
  char* args[] = {first, test.num_inputs == 1 ? first : second, first};
  const intptr_t steps[] = {a.step, a.step, a.step};
  const intptr_t count = kSamples;
  test.loop.fn(args, &count, steps, test.loop.data);
  return a;
}

// The same on operands without gaps, of which one has the same number everywhere.
Elements RunRepeated(const Case& test, int which, int pick) {
  Elements operands[] = {{test.dtype, 1}, {test.dtype, 1}};
  Elements result(ResultOf(test.op, test.dtype), 1);
  char* args[] = {operands[0].data(), operands[1].data(), result.data()};
  intptr_t steps[] = {operands[0].step, operands[1].step, result.step};
  for (int k = 0; k < 2; ++k) kFill[static_cast<int>(test.dtype)](args[k], steps[k], k);
  const std::string number(operands[which].at(pick), operands[which].size);
  for (int i = 0; i < kSamples; ++i) {
    std::memcpy(args[which] + i * steps[which], number.data(), number.size());
  }
  const intptr_t count = kSamples;
  test.loop.fn(args, &count, steps, test.loop.data);
  return result;
}

// Results of the case at `a` and `b`.
bool IsSame(const Case& test, const char* a, const char* b) {
  if (std::memcmp(a, b, ItemSize(test.result())) == 0) return true;
  const UnaryElementFn is_nan = FindUnaryElementFn(Op::kIsNan, test.result());
  if (!test.nans_are_one || is_nan == nullptr) return false;
  bool nan_in_a = false, nan_in_b = false;
  is_nan(a, reinterpret_cast<char*>(&nan_in_a));
  is_nan(b, reinterpret_cast<char*>(&nan_in_b));
  return nan_in_a && nan_in_b;
}

bool AreSame(const Case& test, Elements a, Elements b) {
  for (int i = 0; i < kSamples; ++i) {
    if (!IsSame(test, a.at(i), b.at(i))) return false;
  }
  return true;
}

// The element functions take either of two equal zeros; kernels the second one, as NumPy does. Of
// halves both take the first.
void TakeSecondZeros(const Case& test, Elements& a, Elements& b, Elements& result) {
  if (!IsFloat(test.dtype) || IsShortFloat(test.dtype) ||
      (test.op != Op::kMaximum && test.op != Op::kMinimum))
    return;
  const std::string zero(test.size() - 1, '\0');
  const auto is_zero = [&](const char* number) {  // but for the sign in its last byte
    return std::memcmp(number, zero.data(), zero.size()) == 0 &&
           (number[test.size() - 1] & 0x7f) == 0;
  };
  for (int i = 0; i < kSamples; ++i) {
    if (!is_zero(a.at(i)) || !is_zero(b.at(i))) continue;
    std::memcpy(result.data() + i * result.step, b.at(i), test.size());
  }
}

// What the op's element function gives for the samples.
Elements Expected(const Case& test) {
  Elements a(test.dtype, 1);
  Elements b(test.dtype, 1);
  kFill[static_cast<int>(test.dtype)](a.data(), a.step, 0);
  kFill[static_cast<int>(test.dtype)](b.data(), b.step, 1);
  Elements result(ResultOf(test.op, test.dtype), 1);
  const UnaryElementFn unary = FindUnaryElementFn(test.op, test.dtype);
  const BinaryElementFn binary = FindBinaryElementFn(test.op, test.dtype);
  for (int i = 0; i < kSamples; ++i) {
    char* const place = result.data() + i * result.step;
    if (test.num_inputs == 1) {
      unary(a.at(i), place);
    } else {
      binary(a.at(i), b.at(i), place);
    }
  }
  TakeSecondZeros(test, a, b, result);
  return result;
}

bool HasElementFunction(const Case& test) {
  return test.num_inputs == 1 ? FindUnaryElementFn(test.op, test.dtype) != nullptr
                              : FindBinaryElementFn(test.op, test.dtype) != nullptr;
}

// Whether one number for all, on either side, is as good as the number repeated.
bool NumbersAreAsArrays(const Case& test) {
  static constexpr int kPicks[] = {0, 1, 2, 14, 30, 60, 101, 202, 303};
  for (const int pick : kPicks) {
    if (!AreSame(test, Run(test, {0, 1, 1}, pick), RunRepeated(test, 0, pick))) return false;
    if (!AreSame(test, Run(test, {1, 0, 1}, pick), RunRepeated(test, 1, pick))) return false;
  }
  return true;
}

// Whether calls of `count` elements give what the elements get in a long one; `gap` is 0 for calls
// of one element, whose strides NumPy may set to 0.
bool ShortCallsAreAsLong(const Case& test, Elements dense, int count, int64_t gap) {
  Elements operands[] = {{test.dtype, 1}, {test.dtype, 1}};
  char* const first = Fill(test.dtype, operands[0], 1, 0);
  char* const second = Fill(test.dtype, operands[1], 1, 1);
  Elements result(ResultOf(test.op, test.dtype), 1);
  for (int begin = 0; begin + count <= kSamples; begin += count) {
    char* args[] = {first + begin * operands[0].step, second + begin * operands[1].step,
                    result.data()};
    args[test.num_inputs] = result.data();
    intptr_t steps[] = {gap * operands[0].step, gap * operands[1].step, gap * result.step};
    steps[test.num_inputs] = gap * result.step;
    const intptr_t n = count;
    test.loop.fn(args, &n, steps, test.loop.data);
    for (int i = 0; i < count; ++i) {
      if (!IsSame(test, result.at(i), dense.at(begin + i))) return false;
    }
  }
  return true;
}

bool ShortCallsAreAsLong(const Case& test, const Elements& dense) {
  static constexpr int kCounts[] = {1, 2, 3, 5, 7, 8, 15, 31};
  // RefuseStoredProduct keeps products away whose result has no stride.
  const bool are_single = test.op == Op::kMultiplyFused || ShortCallsAreAsLong(test, dense, 1, 0);
  return are_single && absl::c_all_of(kCounts, [&](int count) {
           return ShortCallsAreAsLong(test, dense, count, 1);
         });
}

bool AreAll(const Case& test, const Elements& dense, absl::Span<const Layout> layouts) {
  return absl::c_all_of(
      layouts, [&](const Layout& layout) { return AreSame(test, dense, Run(test, layout, 0)); });
}

LoopBits AskFor(const Case& test) {
  const Elements dense = Run(test, {1, 1, 1}, 0);
  if (IsEmitted(test.op, test.dtype) &&
      (!HasElementFunction(test) || !AreSame(test, dense, Expected(test)))) {
    return LoopBits::kOther;
  }
  // Not results with gaps: kernels write none, and isnan of NumPy 2 is wrong there.
  if (!AreAll(test, dense, {{kGap, kGap, 1}, {kGap, 1, 1}})) {
    return LoopBits::kOther;
  }
  if (test.op != Op::kPower && !ShortCallsAreAsLong(test, dense)) return LoopBits::kOther;
  const bool same_size = ItemSize(test.result()) == ItemSize(test.dtype);
  if (same_size && !AreSame(test, dense, RunInPlace(test))) return LoopBits::kOther;
  // For powers the number for all is ShortCutOfPower's business.
  if (test.num_inputs == 2 && test.op != Op::kPower && !NumbersAreAsArrays(test)) {
    return LoopBits::kOther;
  }
  const bool backwards =
      AreAll(test, dense, {{-1, -1, 1}, {-1, 1, 1}, {1, -kGap, 1}, {-kGap, -kGap, 1}});
  return backwards ? LoopBits::kAsKernels : LoopBits::kUnlessBackwards;
}

LoopBits Ask(Case test) {
  const FlagsKept kept;
  const LoopBits bits = AskFor(test);
  if (bits != LoopBits::kOther || !IsFloat(test.result())) return bits;
  test.nans_are_one = true;
  return AskFor(test) == LoopBits::kOther ? LoopBits::kOther : LoopBits::kButForNans;
}

// add.reduce of `n` numbers in calls of at most `call` elements.
double SumInCalls(const kernel::LibraryLoop& loop, double* numbers, int64_t n, int64_t call) {
  double sum = 0.0;
  for (int64_t begin = 0; begin < n; begin += call) {
    char* const acc = reinterpret_cast<char*>(&sum);
    char* args[] = {acc, reinterpret_cast<char*>(numbers + begin), acc};
    const intptr_t count = std::min(call, n - begin);
    const intptr_t steps[] = {0, sizeof(double), 0};
    loop.fn(args, &count, steps, loop.data);
  }
  return sum;
}

bool reductions_are_known = false;

bool IsAskedElsewhere(Op op, DType dtype) {
  return op == Op::kMultiply && dtype == DType::kComplex128;
}

}  // namespace

LoopBits BitsOfLoop(Op op, DType dtype) {
  if (NumpyMajor() == 1 || !IsElementwise(op) || IsAskedElsewhere(op, dtype)) {
    return LoopBits::kAsKernels;
  }
  static auto& answers = *new absl::flat_hash_map<std::pair<Op, DType>, LoopBits>;  // under the GIL
  const auto [place, is_new] = answers.try_emplace({op, dtype}, LoopBits::kOther);
  if (is_new) {
    const int num_inputs = Info(op).category == OpCategory::kUnary ? 1 : 2;
    place->second =
        Ask({op, dtype, num_inputs, kernel::FindLibraryLoop(static_cast<int>(op), dtype)});
  }
  return place->second;
}

bool ProductsAreFused(DType dtype) {
  if (NumpyMajor() == 1 || !IsComplex(dtype)) return false;
  static auto& answers = *new absl::flat_hash_map<DType, bool>;  // under the GIL
  const auto [place, is_new] = answers.try_emplace(dtype, false);
  const kernel::LibraryLoop loop = kernel::FindLibraryLoop(static_cast<int>(Op::kMultiply), dtype);
  if (is_new && loop) {
    const FlagsKept kept;
    // Of two NaNs that meet in a product either may be the result's.
    const Case test{Op::kMultiplyFused, dtype, 2, loop, /*nans_are_one=*/true};
    place->second = AskFor(test) == LoopBits::kAsKernels;
  }
  return place->second;
}

namespace {

kernel::LibraryLoop ClipLoop(DType dtype) {
  PyUFuncObject* const clip = InternalUfunc("clip");
  for (int k = 0; clip != nullptr && k < clip->ntypes; ++k) {
    const char* types = clip->types + k * clip->nargs;
    const bool fits =
        std::all_of(types, types + 4, [&](char type) { return type == TypeNum(dtype); });
    if (fits) return {clip->functions[k], clip->data[k]};
  }
  return {};
}

// Zeros of both signs between bounds of both signs, by the loop and in the two ways.
ClipKeeps AskClip(DType dtype, bool bounds_are_numbers) {
  const kernel::LibraryLoop loop = ClipLoop(dtype);
  if (!loop) return ClipKeeps::kOther;
  constexpr int kCount = 8;
  const int size = ItemSize(dtype);
  char zeros[2][8] = {};
  zeros[1][size - 1] = static_cast<char>(0x80);  // the sign, in a little-endian float
  bool keeps_bound = true, keeps_element = true;
  for (int bounds = 0; bounds < 4; ++bounds) {
    char operands[4][kCount * 8] = {};
    for (int i = 0; i < kCount; ++i) {
      const int signs[] = {i & 1, bounds & 1, bounds >> 1};
      for (int k = 0; k < 3; ++k) std::memcpy(operands[k] + i * size, zeros[signs[k]], size);
    }
    char* args[] = {operands[0], operands[1], operands[2], operands[3]};
    const intptr_t of_bounds = bounds_are_numbers ? 0 : size;
    const intptr_t steps[] = {size, of_bounds, of_bounds, size};
    const intptr_t count = kCount;
    loop.fn(args, &count, steps, loop.data);
    keeps_bound = keeps_bound && std::memcmp(operands[3], operands[2], kCount * size) == 0;
    keeps_element = keeps_element && std::memcmp(operands[3], operands[0], kCount * size) == 0;
  }
  if (keeps_bound) return ClipKeeps::kBound;
  return keeps_element ? ClipKeeps::kElement : ClipKeeps::kOther;
}

}  // namespace

ClipKeeps ClipKeepsOf(DType dtype, bool bounds_are_numbers) {
  if (!IsFloat(dtype)) return ClipKeeps::kBound;
  static auto& answers = *new absl::flat_hash_map<std::pair<DType, bool>, ClipKeeps>;
  const auto [place, is_new] = answers.try_emplace({dtype, bounds_are_numbers}, ClipKeeps::kOther);
  if (is_new) place->second = AskClip(dtype, bounds_are_numbers);
  return place->second;
}

void LearnReductions() {
  reductions_are_known = NumpyMajor() == 1;
  if (reductions_are_known) return;
  npy_intp count = 5 * executor::kChunkElements / 2 + 11;
  const kernel::LibraryLoop loop =
      kernel::FindLibraryLoop(static_cast<int>(Op::kReduceSum), DType::kFloat64);
  PyUFuncObject* const add = UfuncOf(Op::kReduceSum);
  const Ref array = Ref::Steal(PyArray_SimpleNew(1, &count, NPY_DOUBLE));
  if (!loop || add == nullptr || !array) return PyErr_Clear();
  auto* const numbers = static_cast<double*>(PyArray_DATA(AsArray(array.get())));
  for (npy_intp i = 0; i < count; ++i) numbers[i] = std::sin(static_cast<double>(i));
  const Ref sum =
      Ref::Steal(PyObject_CallMethod(reinterpret_cast<PyObject*>(add), "reduce", "O", array.get()));
  const double found = sum ? PyFloat_AsDouble(sum.get()) : 0.0;
  PyErr_Clear();
  const bool in_chunks = found == SumInCalls(loop, numbers, count, executor::kChunkElements);
  const bool at_once = found == SumInCalls(loop, numbers, count, count);
  reductions_are_known = in_chunks != at_once;
  executor::SetGrowingCalls(at_once);
}

bool ReductionsAreKnown() { return reductions_are_known; }

bool HasFastPowers() {
  static const bool has = [] {
    if (NumpyMajor() == 1) return false;
    const kernel::LibraryLoop loop =
        kernel::FindLibraryLoop(static_cast<int>(Op::kPower), DType::kFloat64);
    if (!loop) return true;
    const FlagsKept kept;
    // pow(-inf, 0.5) is infinite, the root is not.
    double base[] = {-std::numeric_limits<double>::infinity(), 2.0};
    double exponent = 0.5;
    double result[] = {0.0, 0.0};
    char* args[] = {reinterpret_cast<char*>(base), reinterpret_cast<char*>(&exponent),
                    reinterpret_cast<char*>(result)};
    const intptr_t count = 2;
    const intptr_t steps[] = {sizeof(double), 0, sizeof(double)};
    loop.fn(args, &count, steps, loop.data);
    return !std::isinf(result[0]);
  }();
  return has;
}

namespace {

// Whether the loop's square of some number is another one where the exponent is one for all.
template <typename T>
bool SquaresDiffer(const kernel::LibraryLoop& loop) {
  constexpr intptr_t kCount = 256;
  T bases[kCount], exponents[kCount], at_once[kCount], one_by_one[kCount];
  for (intptr_t i = 0; i < kCount; ++i) {
    bases[i] = T{1} + static_cast<T>(i) / T{263};
    exponents[i] = T{2};
  }
  const FlagsKept kept;
  for (T* const result : {at_once, one_by_one}) {
    char* args[] = {reinterpret_cast<char*>(bases), reinterpret_cast<char*>(exponents),
                    reinterpret_cast<char*>(result)};
    const intptr_t steps[] = {sizeof(T), result == at_once ? 0 : intptr_t{sizeof(T)}, sizeof(T)};
    loop.fn(args, &kCount, steps, loop.data);
  }
  return std::memcmp(at_once, one_by_one, sizeof(at_once)) != 0;
}

}  // namespace

bool PowerSquares(DType dtype) {
  const auto differ = [](DType of) {
    const kernel::LibraryLoop loop = kernel::FindLibraryLoop(static_cast<int>(Op::kPower), of);
    if (NumpyMajor() == 1 || !loop) return false;
    return of == DType::kFloat64 ? SquaresDiffer<double>(loop) : SquaresDiffer<float>(loop);
  };
  static const bool of_doubles = differ(DType::kFloat64);
  static const bool of_floats = differ(DType::kFloat32);
  return dtype == DType::kFloat64 ? of_doubles : dtype == DType::kFloat32 && of_floats;
}

}  // namespace dynacc::numpy
