// Exponentials beside a library's own, bit by bit and flag by flag. Here the library is one of the
// test's; tests/programs/numpy/float32_exp.py compares with NumPy's.
#include "runtime/cpu/elementary/fast_exponentials.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/elementary/exponential_kernels.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

// What the library does, and what it is to do wrong.
struct Library {
  int calls = 0;
  QuotientRounding rounding = QuotientRounding::kOnce;
  bool is_off = false;
  bool is_quiet = false;           // reports no overflow
  bool reports_underflow = false;  // as NumPy 1.24 does
};

bool HasKernels() {
  return platform::ForBestLevel(kExponentialKernelsBase, kExponentialKernelsBase,
                                kExponentialKernelsV4)
             .of_floats[0] != nullptr;
}

// One element at a time, so that neither blocks nor tails have a part in what is right.
void Exp(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  auto& library = *static_cast<Library*>(data);
  ++library.calls;
  for (intptr_t i = 0; i < sizes[0]; ++i) {
    float x;
    std::memcpy(&x, args[0] + i * steps[0], sizeof(float));
    float y;
    const ExponentialErrors errors = kExponentialKernelsV4.Of(library.rounding)(&x, 1, &y);
    if (errors.overflow && !library.is_quiet) platform::RaiseHardwareFlags(FE_OVERFLOW);
    if (errors.underflow && library.reports_underflow) platform::RaiseHardwareFlags(FE_UNDERFLOW);
    if (library.is_off && std::fabs(x) > 1) y = std::nextafter(y, 0.0f);
    std::memcpy(args[1] + i * steps[1], &y, sizeof(float));
  }
}

class FastExponentialsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasKernels()) GTEST_SKIP() << "no AVX-512";
  }

  kernel::LibraryLoop Own() { return {&Exp, &library_}; }

  // exp of every `x_gap`th element into every `y_gap`th.
  static std::vector<float> Call(kernel::LibraryLoop loop, const std::vector<float>& x, int x_gap,
                                 int y_gap) {
    const intptr_t count = static_cast<intptr_t>(x.size()) / x_gap;
    std::vector<float> y(count * y_gap);
    char* args[] = {const_cast<char*>(reinterpret_cast<const char*>(x.data())),
                    reinterpret_cast<char*>(y.data())};
    const intptr_t steps[] = {static_cast<intptr_t>(sizeof(float)) * x_gap,
                              static_cast<intptr_t>(sizeof(float)) * y_gap};
    loop.fn(args, &count, steps, loop.data);
    return y;
  }

  void ExpectSame(const std::vector<float>& x, int x_gap = 1, int y_gap = 1) {
    platform::ClearHardwareFlags();
    const std::vector<float> expected = Call(Own(), x, x_gap, y_gap);
    const uint32_t flags = platform::ErrorFlags();
    const kernel::LibraryLoop quick = FastExponentials(DType::kFloat32, Own());
    platform::ClearHardwareFlags();
    const std::vector<float> found = Call(quick, x, x_gap, y_gap);
    EXPECT_EQ(platform::ErrorFlags(), flags);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(std::bit_cast<uint32_t>(found[i]), std::bit_cast<uint32_t>(expected[i])) << i;
    }
    platform::ClearHardwareFlags();
  }

  std::vector<float> Numbers(int64_t count, float least, float most) {
    std::uniform_real_distribution<float> range(least, most);
    std::vector<float> numbers(count);
    for (float& number : numbers) number = range(random_);
    return numbers;
  }

  std::mt19937 random_{5};
  Library library_;
};

TEST_F(FastExponentialsTest, EveryLengthAndStride) {
  for (int count = 0; count < 70; ++count) ExpectSame(Numbers(count, -3, 3));
  for (const int count : {255, 256, 257, 1000}) {
    for (const int x_gap : {1, 2, 5}) {
      for (const int y_gap : {1, 3}) ExpectSame(Numbers(count, -90, 80), x_gap, y_gap);
    }
  }
}

TEST_F(FastExponentialsTest, SpecialNumbersAndTheirFlags) {
  using Limits = std::numeric_limits<float>;
  const float special[] = {Limits::quiet_NaN(),
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::max(),
                           Limits::lowest(),
                           Limits::denorm_min(),
                           Limits::min(),
                           -0.0f,
                           -1000.0f,
                           1000.0f,
                           -103.9f,
                           -740.0f};
  for (const bool reports_underflow : {false, true}) {
    library_.reports_underflow = reports_underflow;
    for (const float x : special) {
      for (int place = 0; place < 20; ++place) {
        std::vector<float> numbers = Numbers(20, -1, 1);
        numbers[place] = x;
        ExpectSame(numbers);
      }
    }
  }
  // It is the kernel that reports: a library that is trusted is not called any more.
  const kernel::LibraryLoop quick = FastExponentials(DType::kFloat32, Own());
  Call(quick, {-200.0f}, 1, 1);
  library_.calls = 0;
  platform::ClearHardwareFlags();
  Call(quick, {-200.0f}, 1, 1);
  EXPECT_EQ(library_.calls, 0);
  EXPECT_EQ(platform::ErrorFlags(), FE_UNDERFLOW);
  platform::ClearHardwareFlags();
}

TEST_F(FastExponentialsTest, NearTheRealExponential) {
  const std::vector<float> x = Numbers(10000, -80, 80);
  const std::vector<float> y = Call(FastExponentials(DType::kFloat32, Own()), x, 1, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(static_cast<double>(x[i]));
    EXPECT_NEAR(y[i], exact, 3 * exact * std::numeric_limits<float>::epsilon()) << x[i];
  }
}

TEST_F(FastExponentialsTest, InPlace) {
  std::vector<float> x = Numbers(500, -3, 3);
  const std::vector<float> expected = Call(Own(), x, 1, 1);
  const kernel::LibraryLoop quick = FastExponentials(DType::kFloat32, Own());
  char* args[] = {reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(x.data())};
  const intptr_t count = 500;
  const intptr_t steps[] = {sizeof(float), sizeof(float)};
  quick.fn(args, &count, steps, quick.data);
  EXPECT_EQ(x, expected);
}

// A library that is not trusted is called; one that is trusted is not, once it has been asked.
TEST_F(FastExponentialsTest, CallsALibraryThatComputesOtherwise) {
  for (const bool is_off : {false, true}) {
    for (const bool is_quiet : {false, true}) {
      library_.is_off = is_off;
      library_.is_quiet = is_quiet;
      const kernel::LibraryLoop quick = FastExponentials(DType::kFloat32, Own());
      const std::vector<float> x = Numbers(100, -3, 3);
      Call(quick, x, 1, 1);
      library_.calls = 0;
      const std::vector<float> y = Call(quick, x, 1, 1);
      EXPECT_EQ(library_.calls, is_off || is_quiet ? 1 : 0);
      EXPECT_EQ(y, Call(Own(), x, 1, 1));
    }
  }
}

TEST_F(FastExponentialsTest, RoundsAsTheLibraryDoes) {
  const std::vector<float> x(std::begin(kRoundingSamples), std::end(kRoundingSamples));
  std::vector<float> once, twice;
  for (const QuotientRounding rounding : {QuotientRounding::kOnce, QuotientRounding::kTwice}) {
    library_.rounding = rounding;
    const kernel::LibraryLoop quick = FastExponentials(DType::kFloat32, Own());
    const std::vector<float> y = Call(quick, x, 1, 1);
    EXPECT_EQ(y, Call(Own(), x, 1, 1));
    library_.calls = 0;
    Call(quick, x, 1, 1);
    EXPECT_EQ(library_.calls, 0);
    (rounding == QuotientRounding::kOnce ? once : twice) = y;
  }
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NE(once[i], twice[i]) << x[i];
}

TEST_F(FastExponentialsTest, OtherDTypesKeepTheirLoop) {
  EXPECT_EQ(FastExponentials(DType::kFloat16, Own()).fn, Own().fn);
  EXPECT_EQ(FastExponentials(DType::kFloat64, Own()).fn, Own().fn);
}

}  // namespace
}  // namespace dynacc::cpu
