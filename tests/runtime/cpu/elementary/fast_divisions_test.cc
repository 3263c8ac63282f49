// Remainders and floored quotients beside one element at a time, bit by bit and flag by flag. Here
// the library is one of the test's; tests/programs/numpy/remainders.py compares with NumPy's.
#include "runtime/cpu/elementary/fast_divisions.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

struct Library {
  int calls = 0;
  int elements = 0;
  bool is_off = false;
};
Library library;

// npy_divmod.
template <typename T>
T FloatResult(Division division, T a, T b) {
  T mod = std::fmod(a, b);
  if (division == Division::kFmod) return mod;
  if (b == 0) return division == Division::kRemainder ? mod : a / b;
  T div = (a - mod) / b;
  if (division == Division::kRemainder) {  // which no flag of the quotient's is raised for
    if (mod == 0) return std::copysign(T(0), b);
    return (b < 0) != (mod < 0) ? mod + b : mod;
  }
  if (mod == 0) {
    mod = std::copysign(T(0), b);
  } else if ((b < 0) != (mod < 0)) {
    mod += b;
    div -= T(1);
  }
  volatile T small = div == 0 ? a / b : T(1);
  T floor = std::copysign(T(0), small);
  if (div != 0) {
    floor = std::floor(div);
    if (div - floor > T(0.5)) floor += T(1);
  }
  return floor;
}

template <typename T>
T IntResult(Division division, T a, T b) {
  if (b == 0) {
    platform::RaiseHardwareFlags(FE_DIVBYZERO);
    return 0;
  }
  if (b == -1) {
    if (division != Division::kFloorDivide) return 0;
    if (a == std::numeric_limits<T>::min()) platform::RaiseHardwareFlags(FE_OVERFLOW);
    return a == std::numeric_limits<T>::min() ? a : -a;
  }
  const T mod = a % b, div = a / b;
  if (division == Division::kFmod) return mod;
  const bool is_off = mod != 0 && ((mod < 0) != (b < 0));
  return division == Division::kRemainder ? mod + (is_off ? b : 0) : div - is_off;
}

template <typename T, Division kDivision>
void Loop(char** args, const intptr_t* sizes, const intptr_t* steps, void*) {
  ++library.calls;
  library.elements += static_cast<int>(sizes[0]);
  for (intptr_t i = 0; i < sizes[0]; ++i) {
    T a, b, result;
    std::memcpy(&a, args[0] + i * steps[0], sizeof(T));
    std::memcpy(&b, args[1] + i * steps[1], sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      result = FloatResult(kDivision, a, b);
    } else {
      result = IntResult(kDivision, a, b);
    }
    if (library.is_off) result += 1;
    std::memcpy(args[2] + i * steps[2], &result, sizeof(T));
  }
}

template <typename T>
constexpr DType kDTypeOf = DType::kFloat64;
template <>
constexpr DType kDTypeOf<float> = DType::kFloat32;
template <>
constexpr DType kDTypeOf<int32_t> = DType::kInt32;
template <>
constexpr DType kDTypeOf<int64_t> = DType::kInt64;

template <typename T>
class FastDivisionsTest : public testing::Test {
 protected:
  static kernel::LibraryLoop Own(Division division) {
    if (division == Division::kRemainder) return {&Loop<T, Division::kRemainder>, nullptr};
    if (division == Division::kFmod) return {&Loop<T, Division::kFmod>, nullptr};
    return {&Loop<T, Division::kFloorDivide>, nullptr};
  }

  static std::vector<T> Call(kernel::LibraryLoop loop, const std::vector<T>& a,
                             const std::vector<T>& b, intptr_t count, intptr_t gap) {
    std::vector<T> out(count * gap + 1);
    char* args[] = {const_cast<char*>(reinterpret_cast<const char*>(a.data())),
                    const_cast<char*>(reinterpret_cast<const char*>(b.data())),
                    reinterpret_cast<char*>(out.data())};
    const intptr_t size = sizeof(T);
    const intptr_t steps[] = {size * gap, b.size() == 1 ? 0 : size * gap, size * gap};
    loop.fn(args, &count, steps, loop.data);
    return out;
  }

  static void ExpectSame(const std::vector<T>& a, const std::vector<T>& b, intptr_t gap = 1) {
    const intptr_t count = static_cast<intptr_t>(a.size()) / gap;
    for (const Division division :
         {Division::kRemainder, Division::kFloorDivide, Division::kFmod}) {
      library = {};
      platform::ClearHardwareFlags();
      const std::vector<T> expected = Call(Own(division), a, b, count, gap);
      const uint32_t flags = platform::ErrorFlags();
      const kernel::LibraryLoop quick = FastDivision(division, kDTypeOf<T>, Own(division));
      platform::ClearHardwareFlags();
      const std::vector<T> found = Call(quick, a, b, count, gap);
      EXPECT_EQ(platform::ErrorFlags(), flags);
      for (size_t i = 0; i < found.size(); ++i) {
        const bool is_nan = found[i] != found[i] && expected[i] != expected[i];
        ASSERT_TRUE(is_nan || std::memcmp(&found[i], &expected[i], sizeof(T)) == 0)
            << a[i] << " by " << b[b.size() == 1 ? 0 : i] << ": " << found[i] << ", not "
            << expected[i];
      }
      platform::ClearHardwareFlags();
    }
  }

  // Numbers of all sizes, most of them small.
  T Number() {
    if constexpr (std::is_floating_point_v<T>) {
      const int scale = static_cast<int>(random_() % 8 == 0 ? random_() % 200 : random_() % 12);
      const T sign = random_() % 2 == 0 ? T(1) : T(-1);
      if (random_() % 4 == 0) return sign * static_cast<T>(random_() % 100);
      return sign * std::ldexp(T(1) + static_cast<T>(random_() % 4096) / T(4096), scale / 2 - 3);
    } else {
      return static_cast<T>(random_()) >> (random_() % (sizeof(T) * 8 - 1));
    }
  }

  std::vector<T> Numbers(int64_t count) {
    std::vector<T> numbers(count);
    for (T& number : numbers) number = Number();
    return numbers;
  }

  // No zeros.
  std::vector<T> Divisors(int64_t count) {
    std::vector<T> numbers = Numbers(count);
    for (T& number : numbers) number = number == 0 ? T(7) : number;
    return numbers;
  }

  std::mt19937_64 random_{11};
};

using Types = testing::Types<float, double, int32_t, int64_t>;
TYPED_TEST_SUITE(FastDivisionsTest, Types);

TYPED_TEST(FastDivisionsTest, ManyNumbers) {
  for (int round = 0; round < 300; ++round) {
    this->ExpectSame(this->Numbers(320), this->Divisors(320));
    this->ExpectSame(this->Numbers(320), this->Divisors(1));
  }
}

TYPED_TEST(FastDivisionsTest, EveryLengthAndGaps) {
  for (int count = 0; count < 100; ++count) {
    this->ExpectSame(this->Numbers(count), this->Divisors(std::max(count, 2)));
  }
  this->ExpectSame(this->Numbers(300), this->Divisors(300), 3);
}

TYPED_TEST(FastDivisionsTest, SpecialNumbersAndTheirFlags) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::vector<T> special = {T(0), Limits::min(), Limits::max(), Limits::lowest(), T(-1)};
  if (std::is_floating_point_v<T>) {
    special.insert(special.end(), {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                                   Limits::denorm_min(), -Limits::denorm_min(), T(-0.0),
                                   Limits::min() / 2, Limits::epsilon()});
  }
  for (const T a : special) {
    for (const T b : special) {
      for (const int place : {0, 31, 40}) {
        std::vector<T> x = this->Numbers(64), y = this->Divisors(64);
        x[place] = a;
        y[place] = b;
        this->ExpectSame(x, y);
      }
      this->ExpectSame(std::vector<T>(64, a), {b});
    }
  }
}

// Quotients of -1 and 0 of numbers so small that to divide them would underflow.
TYPED_TEST(FastDivisionsTest, SmallDividends) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    for (const T b : {T(3), T(1e10)}) {
      this->ExpectSame(std::vector<T>(32, -std::numeric_limits<T>::denorm_min() * 5), {b});
      this->ExpectSame(std::vector<T>(32, std::numeric_limits<T>::denorm_min() * 5), {b});
      this->ExpectSame(std::vector<T>(32, std::numeric_limits<T>::denorm_min() * 6), {T(3)});
    }
  }
}

TYPED_TEST(FastDivisionsTest, NeighboursOfMultiples) {
  using T = TypeParam;
  for (int round = 0; round < 200; ++round) {
    const std::vector<T> y = this->Divisors(64);
    std::vector<T> x(64);
    for (size_t i = 0; i < x.size(); ++i) {
      const int step = static_cast<int>(this->random_() % 3) - 1;
      if constexpr (std::is_floating_point_v<T>) {
        x[i] = y[i] * static_cast<T>(this->random_() % 5000);
        if (step != 0) x[i] = std::nextafter(x[i], step * std::numeric_limits<T>::max());
      } else {
        x[i] = y[i] / 1000 * static_cast<T>(this->random_() % 1000) + step;
      }
    }
    this->ExpectSame(x, y);
  }
}

TYPED_TEST(FastDivisionsTest, InPlace) {
  using T = TypeParam;
  const std::vector<T> a = this->Numbers(100), b = this->Divisors(100);
  const std::vector<T> expected = this->Call(this->Own(Division::kRemainder), a, b, 100, 1);
  std::vector<T> x = a;
  const kernel::LibraryLoop quick =
      FastDivision(Division::kRemainder, kDTypeOf<T>, this->Own(Division::kRemainder));
  char* args[] = {reinterpret_cast<char*>(x.data()),
                  const_cast<char*>(reinterpret_cast<const char*>(b.data())),
                  reinterpret_cast<char*>(x.data())};
  const intptr_t count = 100, size = sizeof(T);
  const intptr_t steps[] = {size, size, size};
  quick.fn(args, &count, steps, quick.data);
  EXPECT_EQ(std::memcmp(x.data(), expected.data(), 100 * sizeof(T)), 0);
}

// A library that computes otherwise is called for every element, another one for the last few.
TYPED_TEST(FastDivisionsTest, CallsALibraryThatComputesOtherwise) {
  using T = TypeParam;
  for (const bool is_off : {false, true}) {
    library = {};
    library.is_off = is_off;
    const kernel::LibraryLoop own = this->Own(Division::kFmod);
    const kernel::LibraryLoop quick = FastDivision(Division::kFmod, kDTypeOf<T>, own);
    if (quick.fn == own.fn) GTEST_SKIP() << "no kernel on this machine";
    const std::vector<T> a(100, T(7)), b(100, T(3));
    this->Call(quick, a, b, 100, 1);
    library.elements = 0;
    this->Call(quick, a, b, 100, 1);
    EXPECT_EQ(library.elements, is_off ? 100 : 4);
  }
}

TEST(FastDivisionTest, OtherDTypesKeepTheirLoop) {
  const kernel::LibraryLoop own = {&Loop<double, Division::kFmod>, nullptr};
  EXPECT_EQ(FastDivision(Division::kFmod, DType::kFloat16, own).fn, own.fn);
  EXPECT_EQ(FastDivision(Division::kFmod, DType::kUInt8, own).fn, own.fn);
}

}  // namespace
}  // namespace dynacc::cpu
