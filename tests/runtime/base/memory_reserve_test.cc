#include "runtime/base/memory_reserve.h"

#include <gtest/gtest.h>

#include <new>

namespace dynacc {
namespace {

TEST(MemoryReserveTest, IsLetGoBlockByBlockAndFilledAgain) {
  HoldMemoryReserve();
  EXPECT_FALSE(MemoryIsShort());
  const std::new_handler handler = std::get_new_handler();
  ASSERT_NE(handler, nullptr);
  handler();
  EXPECT_TRUE(MemoryIsShort());
  RefillMemoryReserve();
  EXPECT_FALSE(MemoryIsShort());
  int blocks = 0;
  EXPECT_THROW(for (;; ++blocks) handler(), std::bad_alloc);
  EXPECT_GT(blocks, 20);
  RefillMemoryReserve();
  EXPECT_FALSE(MemoryIsShort());
  std::set_new_handler(nullptr);
}

TEST(MemoryReserveTest, LeavesAProgramsOwnHandler) {
  const std::new_handler own = [] { throw std::bad_alloc(); };
  std::set_new_handler(own);
  HoldMemoryReserve();
  EXPECT_EQ(std::get_new_handler(), own);
  std::set_new_handler(nullptr);
}

}  // namespace
}  // namespace dynacc
