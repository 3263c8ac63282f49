#include "runtime/cpu/loops/row_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/cpu/loops/reduce_levels.h"
#include "runtime/platform/fp_flags.h"
#include "tests/runtime/cpu/loops/every_level.h"
#include "tests/runtime/executor/numpy_like_loops.h"

namespace dynacc::cpu {
namespace {

template <typename T>
SumRowsFn FnOf(const ReduceFns& fns) {
  return sizeof(T) == 4 ? fns.sum_rows.float32 : fns.sum_rows.float64;
}

template <typename T>
class RowSumTest : public ::testing::Test {};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RowSumTest, Types);

TYPED_TEST(RowSumTest, AddsRowsInOrder) {
  using T = TypeParam;
  for (const ReduceFns& fns : testing::EveryLevel(kReduceFnsBase, kReduceFnsV3, kReduceFnsV4)) {
    for (int64_t n = 0; n < 80; ++n) {
      for (const int64_t rows : {0, 1, 2, 7}) {
        const int64_t gap = rows % 2;
        std::vector<T> data(rows * (n + gap));
        for (size_t i = 0; i < data.size(); ++i) data[i] = std::exp(std::sin(i * 1.7) * 20);
        std::vector<T> acc(n + 1, T{3}), wanted = acc;
        for (int64_t row = 0; row < rows; ++row) {
          for (int64_t i = 0; i < n; ++i) wanted[i] = wanted[i] + data[row * (n + gap) + i];
        }
        FnOf<T>(fns)(reinterpret_cast<const char*>(data.data()), (n + gap) * sizeof(T), rows, n,
                     reinterpret_cast<char*>(acc.data()));
        ASSERT_EQ(std::memcmp(acc.data(), wanted.data(), acc.size() * sizeof(T)), 0)
            << rows << " rows of " << n;
      }
    }
  }
}

TYPED_TEST(RowSumTest, RaisesFlagsOfWhatIsAddedAlone) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  for (const ReduceFns& fns : testing::EveryLevel(kReduceFnsBase, kReduceFnsV3, kReduceFnsV4)) {
    for (int64_t n = 1; n < 40; ++n) {
      // A sum of the elements behind a row would be infinity - infinity.
      std::vector<T> data(n + 40, infinity), acc(n, T{1});
      for (size_t i = n; i < data.size(); i += 2) data[i] = -infinity;
      platform::ClearHardwareFlags();
      FnOf<T>(fns)(reinterpret_cast<const char*>(data.data()), 0, 2, n,
                   reinterpret_cast<char*>(acc.data()));
      EXPECT_EQ(platform::ErrorFlags(), 0u) << n;
      EXPECT_EQ(acc, std::vector<T>(n, infinity));
    }
  }
}

TYPED_TEST(RowSumTest, IsFoundForALoopThatAdds) {
  using T = TypeParam;
  const DType dtype = sizeof(T) == 4 ? DType::kFloat32 : DType::kFloat64;
  EXPECT_NE(FindSumRows(dtype, {&testing::AddLoop<T>, nullptr}), nullptr);
  constexpr auto kSubtract = [](T a, T b) { return a - b; };
  EXPECT_EQ(FindSumRows(dtype, {&testing::BinaryLoop<T, kSubtract>, nullptr}), nullptr);
  EXPECT_EQ(FindSumRows(DType::kInt64, {&testing::AddLoop<T>, nullptr}), nullptr);
}

}  // namespace
}  // namespace dynacc::cpu
