#include "runtime/platform/stack_room.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace dynacc::platform {
namespace {

struct Seen {
  size_t outside = 0;
  size_t inside = 0;
};

__attribute__((noinline)) size_t BelowABlock() {
  volatile char block[16384];
  block[0] = 1;
  const size_t left = StackLeft();
  block[1] = 1;
  return left;
}

void* Look(void* seen) {
  static_cast<Seen*>(seen)->outside = StackLeft();
  static_cast<Seen*>(seen)->inside = BelowABlock();
  return nullptr;
}

TEST(StackRoomTest, IsThatOfTheThreadsOwnStack) {
  constexpr size_t kStack = 4096 * 1024;  // a sanitizer's run-time library takes its part of it
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  Seen seen;
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, Look, &seen), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_LE(seen.outside, kStack);
  EXPECT_GT(seen.outside, kStack / 2);
  EXPECT_LE(seen.inside + 16384, seen.outside);
}

TEST(StackRoomTest, IsKnownOfTheMainThread) {
  EXPECT_GT(StackLeft(), size_t{64} * 1024);
  EXPECT_LT(BelowABlock(), StackLeft());
}

}  // namespace
}  // namespace dynacc::platform
