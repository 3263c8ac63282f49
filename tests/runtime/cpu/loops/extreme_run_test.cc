#include "runtime/cpu/loops/extreme_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/cpu/loops/reduce_levels.h"
#include "runtime/platform/fp_flags.h"
#include "tests/runtime/cpu/loops/every_level.h"

namespace dynacc::cpu {
namespace {

std::vector<ReduceFns> AllLevels() {
  return testing::EveryLevel(kReduceFnsBase, kReduceFnsV3, kReduceFnsV4);
}

template <typename T, typename Fn>
Fn FnOf(const FnsByType<Fn>& fns) {
  if constexpr (sizeof(T) == 4) return fns.float32;
  return fns.float64;
}

template <typename T>
const char* BytesOf(const std::vector<T>& elements) {
  return reinterpret_cast<const char*>(elements.data());
}

template <typename T>
class ExtremeRunTest : public ::testing::Test {
 protected:
  // Whether every level gives a result, which must be the right one.
  static bool Check(const std::vector<T>& run, T start) {
    const char* data = reinterpret_cast<const char*>(run.data());
    const int64_t n = static_cast<int64_t>(run.size());
    int done = 0, tried = 0;
    for (const ReduceFns& fns : AllLevels()) {
      T max = start, min = start;
      platform::ClearHardwareFlags();
      const bool has_max = FnOf<T>(fns.max)(data, n, reinterpret_cast<char*>(&max));
      const bool has_min = FnOf<T>(fns.min)(data, n, reinterpret_cast<char*>(&min));
      EXPECT_EQ(platform::ErrorFlags(), 0u);
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
      for (const ReduceFns& fns : AllLevels()) {
        TypeParam acc = 1;
        platform::ClearHardwareFlags();
        EXPECT_FALSE(FnOf<TypeParam>(fns.max)(reinterpret_cast<const char*>(run.data()), n,
                                              reinterpret_cast<char*>(&acc)));
        EXPECT_EQ(acc, 1);
        EXPECT_EQ(platform::ErrorFlags(), 0u);
      }
    }
    const std::vector<TypeParam> zeros(n, TypeParam{0});
    for (const ReduceFns& fns : AllLevels()) {
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

TYPED_TEST(ExtremeRunTest, TakesRowsColumnByColumn) {
  using T = TypeParam;
  for (const int64_t n : {1, 3, 8, 17, 70, 150}) {
    for (const int64_t rows : {1, 2, 9}) {
      std::vector<T> data, greatest(n, T{-2}), least(n, T{2});
      for (int64_t i = 0; i < n * rows; ++i) data.push_back(static_cast<T>(std::sin(i + 1)));
      for (int64_t i = 0; i < n * rows; ++i) {
        greatest[i % n] = std::max(greatest[i % n], data[i]);
        least[i % n] = std::min(least[i % n], data[i]);
      }
      for (const ReduceFns& fns : AllLevels()) {
        std::vector<T> max(n, T{-2}), min(n, T{2});
        EXPECT_TRUE(FnOf<T>(fns.max_rows)(BytesOf(data), n * sizeof(T), rows, n,
                                          reinterpret_cast<char*>(max.data())));
        EXPECT_TRUE(FnOf<T>(fns.min_rows)(BytesOf(data), n * sizeof(T), rows, n,
                                          reinterpret_cast<char*>(min.data())));
        EXPECT_EQ(max, greatest);
        EXPECT_EQ(min, least);
      }
    }
  }
}

TYPED_TEST(ExtremeRunTest, LeavesDoubtfulColumnsToTheLibrary) {
  using T = TypeParam;
  constexpr int64_t kColumns = 75, kRows = 3;
  for (int64_t at = 0; at < kColumns; ++at) {
    for (const T doubtful : {std::numeric_limits<T>::quiet_NaN(), T{0}}) {
      std::vector<T> data(kColumns * kRows, T{-1});
      data[kColumns + at] = doubtful;
      for (const ReduceFns& fns : AllLevels()) {
        std::vector<T> max(kColumns, T{-5});
        platform::ClearHardwareFlags();
        EXPECT_FALSE(FnOf<T>(fns.max_rows)(BytesOf(data), kColumns * sizeof(T), kRows, kColumns,
                                           reinterpret_cast<char*>(max.data())));
        EXPECT_EQ(platform::ErrorFlags(), 0u);
        // What has its value already is no NaN and no zero.
        for (const T value : max) EXPECT_TRUE(value == -5 || value == -1);
      }
    }
  }
}

TYPED_TEST(ExtremeRunTest, FindsTheFirstPlace) {
  using T = TypeParam;
  for (const int64_t n : {1, 3, 16, 65, 600, 2000}) {
    for (int64_t at = 0; at < n; at += 1 + n / 50) {
      std::vector<T> run(n, T{2});
      const auto find = [&run, n](auto member) {
        std::vector<int64_t> places;
        for (const ReduceFns& fns : AllLevels()) {
          platform::ClearHardwareFlags();
          places.push_back(FnOf<T>(fns.*member)(BytesOf(run), n));
          EXPECT_EQ(platform::ErrorFlags(), 0u);
          EXPECT_EQ(places.back(), places.front());
        }
        return places.front();
      };
      EXPECT_EQ(find(&ReduceFns::arg_max), 0);
      run[at] = run[n - 1] = 3;
      EXPECT_EQ(find(&ReduceFns::arg_max), at);
      run[at] = run[n - 1] = -3;
      EXPECT_EQ(find(&ReduceFns::arg_min), at);
      run[n - 1] = std::numeric_limits<T>::infinity();
      run[at] = std::numeric_limits<T>::quiet_NaN();
      EXPECT_EQ(find(&ReduceFns::arg_max), at);
      EXPECT_EQ(find(&ReduceFns::arg_min), at);
    }
  }
}

}  // namespace
}  // namespace dynacc::cpu
