// Rows picked by masks at every level of this machine, against one at a time.
#include "runtime/cpu/loops/compress_kernels.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "absl/algorithm/container.h"
#include "tests/runtime/cpu/loops/every_level.h"

namespace dynacc::cpu {
namespace {

std::vector<CompressFns> AllLevels() {
  return testing::EveryLevel(kCompressFnsBase, kCompressFnsV3, kCompressFnsV4);
}

// One of `in` bytes is not 0.
std::vector<uint8_t> RandomMask(int64_t size, int in, std::mt19937& random) {
  std::vector<uint8_t> mask(size);
  for (uint8_t& byte : mask) byte = random() % in == 0 ? 1 + random() % 255 : 0;
  return mask;
}

TEST(CompressKernelsTest, PicksRows) {
  std::mt19937 random(5);
  for (const CompressFns& fns : AllLevels()) {
    for (const int64_t bytes : {1, 2, 3, 4, 8, 16, 24, 300}) {
      for (const int64_t size : {0, 1, 7, 8, 9, 15, 16, 17, 100, 1000}) {
        for (const int in : {1, 2, 20}) {
          std::vector<char> from(size * bytes);
          for (char& byte : from) byte = static_cast<char>(random());
          const std::vector<uint8_t> mask = RandomMask(size, in, random);
          std::vector<char> expected;
          for (int64_t i = 0; i < size; ++i) {
            if (mask[i] == 0) continue;
            expected.insert(expected.end(), from.begin() + i * bytes,
                            from.begin() + (i + 1) * bytes);
          }
          const int64_t count = fns.count(mask.data(), size);
          ASSERT_EQ(count * bytes, static_cast<int64_t>(expected.size()));
          // What is behind the rows stays.
          std::vector<char> to(expected.size() + 64, 'x');
          fns.compress(from.data(), mask.data(), size, bytes, to.data(), count);
          expected.resize(expected.size() + 64, 'x');
          ASSERT_EQ(to, expected) << bytes << " bytes, " << size << " rows";
        }
      }
    }
  }
}

TEST(CompressKernelsTest, CountsEveryByte) {
  std::mt19937 random(6);
  for (const CompressFns& fns : AllLevels()) {
    const std::vector<uint8_t> mask = RandomMask(10'000, 3, random);
    const int64_t expected = absl::c_count_if(mask, [](uint8_t byte) { return byte != 0; });
    EXPECT_EQ(fns.count(mask.data(), 10'000), expected);
  }
}

}  // namespace
}  // namespace dynacc::cpu
