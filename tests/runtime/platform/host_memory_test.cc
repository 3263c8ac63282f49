#include "runtime/platform/host_memory.h"

#include "gtest/gtest.h"

namespace dynacc::platform {
namespace {

TEST(HostMemoryTest, HoldsWhatIsSmall) {
  EXPECT_TRUE(FitsHostMemory(8, {}));
  EXPECT_TRUE(FitsHostMemory(16, {1000, 1000}));
}

TEST(HostMemoryTest, HoldsNoMoreThanThereIs) {
  EXPECT_FALSE(FitsHostMemory(1, {int64_t{1} << 50}));
  EXPECT_FALSE(FitsHostMemory(8, {int64_t{1} << 25, int64_t{1} << 25}));
}

TEST(HostMemoryTest, CountsBeyond63Bits) {
  EXPECT_FALSE(FitsHostMemory(8, {int64_t{1} << 61}));
  EXPECT_FALSE(FitsHostMemory(1, {int64_t{1} << 40, int64_t{1} << 40}));
}

TEST(HostMemoryTest, HoldsEmptyArraysOfAnySize) {
  EXPECT_TRUE(FitsHostMemory(8, {int64_t{1} << 61, 0, int64_t{1} << 61}));
}

}  // namespace
}  // namespace dynacc::platform
