#include "runtime/kernel/extreme_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/device/fp_flags.h"
#include "tests/runtime/kernel/all_reduce_levels.h"

namespace dynacc {
namespace {

template <typename T>
ExtremeRunFn FnOf(const FnsByType<ExtremeRunFn>& fns) {
  return sizeof(T) == 4 ? fns.float32 : fns.float64;
}

template <typename T>
class ExtremeRunTest : public ::testing::Test {
 protected:
  // Whether every level gives a result, which must be the right one.
  static bool Check(const std::vector<T>& run, T start) {
    const char* data = reinterpret_cast<const char*>(run.data());
    const int64_t n = static_cast<int64_t>(run.size());
    int done = 0, tried = 0;
    for (const ReduceFns& fns : testing::AllReduceLevels()) {
      T max = start, min = start;
      ClearHardwareFlags();
      const bool has_max = FnOf<T>(fns.max)(data, n, reinterpret_cast<char*>(&max));
      const bool has_min = FnOf<T>(fns.min)(data, n, reinterpret_cast<char*>(&min));
      EXPECT_EQ(ErrorFlags(), 0u);
      if (has_max) EXPECT_EQ(max, std::max(start, *std::max_element(run.begin(), run.end())));
      if (has_min) EXPECT_EQ(min, std::min(start, *std::min_element(run.begin(), run.end())));
      done += has_max + has_min;
      tried += 2;
    }
    return done == tried;
  }
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ExtremeRunTest, Types);

TYPED_TEST(ExtremeRunTest, FindsThemWhereverTheyAre) {
  for (int64_t n = 1; n < 200; ++n) {
    for (int64_t at = 0; at < n; ++at) {
      std::vector<TypeParam> run;
      for (int64_t i = 0; i < n; ++i) run.push_back(static_cast<TypeParam>(std::sin(i + 1)));
      run[at] = at % 2 == 0 ? TypeParam{3} : TypeParam{-3};
      ASSERT_TRUE(this->Check(run, TypeParam{0.5})) << at << " of " << n;
    }
  }
}

TYPED_TEST(ExtremeRunTest, CountsTheAccumulator) {
  const std::vector<TypeParam> run(100, TypeParam{1});
  EXPECT_TRUE(this->Check(run, TypeParam{7}));
  EXPECT_TRUE(this->Check(run, TypeParam{-7}));
  EXPECT_TRUE(this->Check(run, std::numeric_limits<TypeParam>::infinity()));
}

TYPED_TEST(ExtremeRunTest, LeavesNansAndZerosToTheLibrary) {
  constexpr TypeParam kNan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const int64_t n : {1, 3, 16, 64, 100, 300}) {
    for (int64_t at = 0; at < n; at += 7) {
      std::vector<TypeParam> run(n, TypeParam{2});
      run[at] = kNan;
      for (const ReduceFns& fns : testing::AllReduceLevels()) {
        TypeParam acc = 1;
        ClearHardwareFlags();
        EXPECT_FALSE(FnOf<TypeParam>(fns.max)(reinterpret_cast<const char*>(run.data()), n,
                                              reinterpret_cast<char*>(&acc)));
        EXPECT_EQ(acc, 1);
        EXPECT_EQ(ErrorFlags(), 0u);
      }
    }
    const std::vector<TypeParam> zeros(n, TypeParam{0});
    for (const ReduceFns& fns : testing::AllReduceLevels()) {
      TypeParam acc = -TypeParam{0};
      EXPECT_FALSE(FnOf<TypeParam>(fns.max)(reinterpret_cast<const char*>(zeros.data()), n,
                                            reinterpret_cast<char*>(&acc)));
      EXPECT_TRUE(std::signbit(acc));
      acc = kNan;
      EXPECT_FALSE(FnOf<TypeParam>(fns.min)(reinterpret_cast<const char*>(zeros.data()), n,
                                            reinterpret_cast<char*>(&acc)));
    }
  }
}

}  // namespace
}  // namespace dynacc
