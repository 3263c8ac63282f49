// Rows taken by every level of this machine, against one at a time.
#include "runtime/cpu/loops/take_kernels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "tests/runtime/cpu/loops/every_level.h"

namespace dynacc::cpu {
namespace {

std::vector<TakeFns> AllLevels() {
  return testing::EveryLevel(kTakeFnsBase, kTakeFnsV3, kTakeFnsV4);
}

TEST(TakeKernelsTest, TakesRows) {
  std::mt19937_64 random(3);
  for (const TakeFns& fns : AllLevels()) {
    for (const int64_t bytes : {1, 2, 3, 4, 8, 16, 24, 32, 40, 300}) {
      for (const int64_t count : {0, 1, 100, 255, 256, 257, 1000}) {
        const int64_t rows = 77;
        std::vector<char> from(rows * bytes);
        for (char& byte : from) byte = static_cast<char>(random());
        std::vector<int64_t> indices(count);
        for (int64_t& index : indices) index = static_cast<int64_t>(random() % (2 * rows)) - rows;
        std::vector<char> expected(count * bytes);
        for (int64_t i = 0; i < count; ++i) {
          const int64_t row = indices[i] < 0 ? indices[i] + rows : indices[i];
          std::memcpy(&expected[i * bytes], &from[row * bytes], bytes);
        }
        for (const bool is_large : {false, true}) {
          std::vector<char> to(count * bytes);
          ASSERT_TRUE(
              fns.take(from.data(), rows, bytes, indices.data(), count, to.data(), is_large));
          ASSERT_EQ(to, expected) << bytes << " bytes, " << count << " rows";
        }
      }
    }
  }
}

TEST(TakeKernelsTest, FindsIndicesBeyond) {
  for (const TakeFns& fns : AllLevels()) {
    const std::vector<char> from(7 * 3);
    std::vector<char> to(600 * 3);
    for (const int64_t bad : {int64_t{7}, int64_t{-8}, INT64_MAX, INT64_MIN, INT64_MIN + 7}) {
      for (const int64_t place : {0, 39, 255, 256, 599}) {
        std::vector<int64_t> indices(600);
        for (int64_t i = 0; i < 600; ++i) indices[i] = i % 14 - 7;
        indices[place] = bad;
        for (const bool is_large : {false, true}) {
          EXPECT_FALSE(fns.take(from.data(), 7, 3, indices.data(), 600, to.data(), is_large));
        }
      }
    }
  }
}

}  // namespace
}  // namespace dynacc::cpu
