// Powers beside a library's own, bit by bit and flag by flag.
#include "runtime/cpu/elementary/fast_powers.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/elementary/power_kernels.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

// A library like NumPy's: the C library's pow, element by element. `data`: counts bases, and says
// whether to be off by a unit.
struct Library {
  int64_t negatives = 0;
  int64_t positives = 0;
  bool is_off = false;
};

template <typename T>
void Raise(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  auto& library = *static_cast<Library*>(data);
  for (intptr_t i = 0; i < sizes[0]; ++i) {
    T x, y;
    std::memcpy(&x, args[0] + i * steps[0], sizeof(T));
    std::memcpy(&y, args[1] + i * steps[1], sizeof(T));
    ++(std::signbit(x) ? library.negatives : library.positives);  // which raises no flag for a NaN
    T power = std::pow(x, y);
    if (library.is_off) power = std::nextafter(power, T{0});
    std::memcpy(args[2] + i * steps[2], &power, sizeof(T));
  }
}

template <typename T>
class FastPowersTest : public testing::Test {
 protected:
  static constexpr DType kDType = std::is_same_v<T, float> ? DType::kFloat32 : DType::kFloat64;

  kernel::LibraryLoop Own() { return {&Raise<T>, &library_}; }

  std::vector<T> Powers(kernel::LibraryLoop loop, const std::vector<T>& x, std::vector<T> exponents,
                        int gap = 1) {
    std::vector<T> powers(x.size());
    char* args[] = {const_cast<char*>(reinterpret_cast<const char*>(x.data())),
                    reinterpret_cast<char*>(exponents.data()),
                    reinterpret_cast<char*>(powers.data())};
    const intptr_t size = static_cast<intptr_t>(x.size()) / gap;
    const intptr_t step = static_cast<intptr_t>(sizeof(T)) * gap;
    const intptr_t steps[] = {step, exponents.size() == 1 ? 0 : step, step};
    library_.negatives = library_.positives = 0;
    loop.fn(args, &size, steps, loop.data);
    return powers;
  }

  // Bit by bit: NaNs of the library have a sign that both take from it.
  void ExpectSame(const std::vector<T>& x, const std::vector<T>& exponents, int gap = 1) {
    const std::vector<T> expected = Powers(Own(), x, exponents, gap);
    const std::vector<T> found = Powers(FastPowers(kDType, Own()), x, exponents, gap);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(std::memcmp(&found[i], &expected[i], sizeof(T)), 0)
          << x[i] << " ** " << exponents[0] << " = " << found[i] << ", not " << expected[i];
    }
  }

  std::vector<T> Numbers(int64_t count, int least_log, int most_log) {
    std::uniform_real_distribution<T> mantissas(-2, 2);
    std::uniform_int_distribution<int> logs(least_log, most_log);
    std::vector<T> numbers(count);
    for (T& number : numbers) number = std::ldexp(mantissas(random_), logs(random_));
    return numbers;
  }

  std::mt19937 random_{5};
  Library library_;
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(FastPowersTest, Types);

TYPED_TEST(FastPowersTest, GivesTheLibrarysBits) {
  for (int halves = -20; halves <= 20; ++halves) {
    const std::vector<TypeParam> exponents = {static_cast<TypeParam>(halves) / 2};
    this->ExpectSame(this->Numbers(100'000, -8, 8), exponents);
    this->ExpectSame(this->Numbers(10'000, -140, 120), exponents);
    this->ExpectSame(this->Numbers(1001, -2, 2), exponents, /*gap=*/7);
  }
  this->ExpectSame(this->Numbers(1000, -2, 2), {TypeParam(2.25)});
  this->ExpectSame(this->Numbers(1000, -2, 2), this->Numbers(1000, 0, 2));
}

// Where rounding is closest: short numbers, whose powers are exact or in the middle; powers of two.
TYPED_TEST(FastPowersTest, GivesTheLibrarysBitsAtTheEdges) {
  using T = TypeParam;
  std::vector<T> x = {-T{0},
                      T{0},
                      std::numeric_limits<T>::infinity(),
                      -std::numeric_limits<T>::infinity(),
                      std::numeric_limits<T>::quiet_NaN(),
                      -std::numeric_limits<T>::denorm_min(),
                      -std::numeric_limits<T>::min(),
                      -std::numeric_limits<T>::max()};
  for (int i = -5000; i < 5000; ++i) {
    x.push_back(static_cast<T>(i));
    x.push_back(static_cast<T>(i) / 1024);
    x.push_back(std::nextafter(static_cast<T>(i) / 64, T{0}));
  }
  for (int halves = -2 * kMostPower; halves <= 2 * kMostPower; ++halves) {
    this->ExpectSame(x, {static_cast<T>(halves) / 2});
  }
}

TYPED_TEST(FastPowersTest, ComputesMostNegativesItself) {
  const kernel::LibraryLoop loop = FastPowers(this->kDType, this->Own());
  const std::vector<TypeParam> x(1000, TypeParam(-1.3));
  this->Powers(loop, x, {3});
  this->Powers(loop, x, {3});
  EXPECT_EQ(this->library_.negatives, 0);
}

TYPED_TEST(FastPowersTest, ComputesPositivesWhereTheLibraryHasNoVectors) {
  const std::vector<absl::string_view> levels = platform::LevelsOfThisMachine();
  const bool has_vectors = !levels.empty() && levels.back() == "x86-64-v4";
  const kernel::LibraryLoop loop = FastPowers(this->kDType, this->Own());
  std::vector<TypeParam> x = this->Numbers(1000, 0, 0);
  for (TypeParam& base : x) base = std::abs(base);
  for (const double exponent : {3.0, -1.5, 0.5, 2.5, -4.0}) {
    const std::vector<TypeParam> exponents = {static_cast<TypeParam>(exponent)};
    this->Powers(loop, x, exponents);
    this->Powers(loop, x, exponents);
    // The others are near the middle between two numbers.
    EXPECT_LE(this->library_.positives, has_vectors ? 1000 : 300) << exponent;
  }
}

TYPED_TEST(FastPowersTest, RaisesTheLibrarysFlags) {
  using T = TypeParam;
  const kernel::LibraryLoop loop = FastPowers(this->kDType, this->Own());
  const platform::ScopedFpFlags flags;
  this->Powers(loop, {-2, std::numeric_limits<T>::quiet_NaN(), -T{1e-3}, 5}, {3});
  EXPECT_EQ(platform::ErrorFlags(), 0u);
  this->Powers(loop, {-2, -std::numeric_limits<T>::max(), 5}, {3});
  EXPECT_EQ(platform::ErrorFlags() & FE_OVERFLOW, static_cast<uint32_t>(FE_OVERFLOW));
}

TYPED_TEST(FastPowersTest, LeavesALibraryAloneThatRoundsOtherwise) {
  this->library_.is_off = true;
  const kernel::LibraryLoop loop = FastPowers(this->kDType, this->Own());
  this->Powers(loop, {-1}, {3});
  this->ExpectSame(this->Numbers(5000, -3, 3), {3});
  const std::vector<TypeParam> x(1000, TypeParam(-1.3));
  this->Powers(loop, x, {3});
  EXPECT_EQ(this->library_.negatives, 1000);
  this->Powers(loop, {1}, {1.5});
  this->ExpectSame(this->Numbers(5000, -3, 3), {TypeParam(1.5)});
}

TEST(FastPowers, LeavesOtherTypesAlone) {
  Library library;
  const kernel::LibraryLoop loop = {&Raise<double>, &library};
  EXPECT_EQ(FastPowers(DType::kInt64, loop).fn, loop.fn);
}

}  // namespace
}  // namespace dynacc::cpu
