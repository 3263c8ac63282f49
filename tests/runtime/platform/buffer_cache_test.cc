#include "runtime/platform/buffer_cache.h"

#include <cstdint>
#include <cstring>
#include <thread>

#include "gtest/gtest.h"

namespace dynacc::platform {
namespace {

TEST(BufferCacheTest, BlocksAreLargeEnoughAndNotTooLarge) {
  for (size_t bytes = 1; bytes < (size_t{1} << 33); bytes += 1 + bytes / 3) {
    for (const size_t size : {bytes - 1, bytes, bytes + 1}) {
      const size_t block = BufferCache::BlockBytes(size);
      EXPECT_GE(block, size);
      EXPECT_LE(block, std::max<size_t>(320, size + size / 4));
      EXPECT_EQ(block % BufferCache::kAlignment, 0u);
      EXPECT_EQ(BufferCache::BlockBytes(block), block);
    }
  }
}

TEST(BufferCacheTest, ReusesAndAligns) {
  BufferCache cache;
  for (const size_t bytes : {size_t{1}, size_t{1000}, size_t{9} << 20}) {
    void* block = cache.Allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % BufferCache::kAlignment, 0u);
    std::memset(block, 1, bytes);
    cache.Free(block, bytes);
    EXPECT_EQ(cache.Allocate(bytes), block);
    cache.Free(block, bytes);
  }
}

TEST(BufferCacheTest, AHeadMakesNoOtherBlock) {
  BufferCache cache;
  for (const size_t bytes : {size_t{1024}, size_t{1} << 20, size_t{5} << 20}) {
    void* block = cache.Allocate(bytes + BufferCache::kHeadBytes);
    cache.Free(block, bytes + BufferCache::kHeadBytes);
    EXPECT_EQ(cache.Allocate(bytes), block);
    cache.Free(block, bytes);
  }
}

TEST(BufferCacheTest, KeepsNoMoreThanItsBound) {
  const size_t bound = BufferCache::BlockBytes(4096);
  BufferCache cache(bound);
  void* small = cache.Allocate(4096);
  void* large = cache.Allocate(8192);
  cache.Free(large, 8192);
  EXPECT_EQ(cache.cached_bytes(), 0u);
  cache.Free(small, 4096);
  EXPECT_EQ(cache.cached_bytes(), bound);
  cache.Trim();
  EXPECT_EQ(cache.cached_bytes(), 0u);
}

TEST(BufferCacheTest, TooMuchIsNull) {
  BufferCache cache;
  EXPECT_EQ(cache.Allocate(size_t{1} << 62), nullptr);
}

TEST(BufferCacheTest, ServesSeveralThreads) {
  BufferCache cache;
  auto work = [&cache](int id) {
    for (int i = 0; i < 2000; ++i) {
      const size_t bytes = 64 + (i * 37 + id) % 5000;
      auto* block = static_cast<unsigned char*>(cache.Allocate(bytes));
      std::memset(block, id, bytes);
      ASSERT_EQ(block[bytes - 1], id);
      cache.Free(block, bytes);
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
}

}  // namespace
}  // namespace dynacc::platform
