#include "runtime/platform/thread_pool.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/platform/core_load.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::platform {
namespace {

// More threads than this machine may have cores: read at the first use of the pool.
const int kThreadsSet = setenv("DYNACC_THREADS", "4", 1);

TEST(ThreadPoolTest, RunsEveryPartOnce) {
  ASSERT_EQ(kThreadsSet, 0);
  ASSERT_EQ(ThreadCount(), 4);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::atomic<int>> runs(round % 9);
    ParallelFor(static_cast<int>(runs.size()), [&](int part) { ++runs[part]; });
    for (const auto& count : runs) ASSERT_EQ(count, 1);
  }
}

TEST(ThreadPoolTest, IsLimitedForAWhile) {
  {
    const ScopedThreadLimit two(2);
    EXPECT_EQ(ThreadCount(), 2);
    {
      const ScopedThreadLimit none(0), one(1);
      EXPECT_EQ(ThreadCount(), 1);
      EXPECT_FALSE(WorkersAreAwake());
      const std::thread::id caller = std::this_thread::get_id();
      ParallelFor(8, [&](int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
    }
    EXPECT_EQ(ThreadCount(), 2);
    std::thread([] { EXPECT_EQ(ThreadCount(), 4); }).join();
    const ScopedThreadLimit many(64);
    EXPECT_EQ(ThreadCount(), 4);
  }
  EXPECT_EQ(ThreadCount(), 4);
}

TEST(ThreadPoolTest, WorkersTakeNoSignals) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> would_take = 0;
  ParallelFor(8, [&](int) {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    would_take += std::this_thread::get_id() != caller && sigismember(&blocked, SIGINT) == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_EQ(would_take, 0);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0) << "of the caller";
}

TEST(ThreadPoolTest, BringsFlagsHome) {
  ClearHardwareFlags();
  ParallelFor(8, [](int part) {
    if (part == 5) RaiseHardwareFlags(FE_DIVBYZERO);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_EQ(HardwareFlags() & FE_DIVBYZERO, FE_DIVBYZERO);
  ClearHardwareFlags();
  ParallelFor(8, [](int) {});
  EXPECT_EQ(HardwareFlags(), 0u) << "flags of the call before";
}

// Asks as small runs do; how many of `times` were told that a worker is awake.
int AskAndRun(int times) {
  int awake = 0;
  for (int i = 0; i < times; ++i) {
    const bool split = WorkersAreAwake();
    awake += split;
    std::vector<int> runs(2);
    ParallelFor(split ? 2 : 1, [&](int part) { ++runs[part]; });
    EXPECT_EQ(runs[0], 1);
    EXPECT_EQ(runs[1], split ? 1 : 0);
  }
  return awake;
}

TEST(ThreadPoolTest, WorkersStayAwakeForALoopOfSmallRuns) {
  EXPECT_EQ(AskAndRun(5), 0);
  // On a machine that is busy with other things it takes some time: a pool that has met a worker
  // without a core asks for none for up to two seconds.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  int awake = 0;
  bool was_busy = false;
  while (awake == 0 && std::chrono::steady_clock::now() < end) {
    awake = AskAndRun(2000);
    was_busy = was_busy || RunnableThreads("") >= OnlineCores();
  }
  if (awake == 0 && was_busy) GTEST_SKIP() << "no core is free";
  EXPECT_GT(awake, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(WorkersAreAwake());
}

TEST(ThreadPoolTest, SmallRunsBringFlagsHomeToo) {
  for (int i = 0; i < 3000; ++i) {
    ClearHardwareFlags();
    ParallelFor(WorkersAreAwake() ? 3 : 1, [&](int part) {
      if (part == 0) RaiseHardwareFlags(FE_OVERFLOW);
    });
    ASSERT_EQ(HardwareFlags() & FE_OVERFLOW, FE_OVERFLOW);
  }
  ClearHardwareFlags();
}

TEST(ThreadPoolTest, NestedAndConcurrentCallsRunAll) {
  std::atomic<int> runs{0};
  auto many = [&] {
    for (int i = 0; i < 100; ++i) {
      ParallelFor(3, [&](int) { ParallelFor(2, [&](int) { ++runs; }); });
    }
  };
  std::thread other(many);
  many();
  other.join();
  EXPECT_EQ(runs, 2 * 100 * 3 * 2);
}

TEST(ThreadPoolTest, AForkedChildStartsAnew) {
  std::atomic<int> runs{0};
  ParallelFor(4, [&](int) { ++runs; });
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> in_child{0};
    for (int i = 0; i < 50; ++i) ParallelFor(4, [&](int) { ++in_child; });
    _exit(in_child == 200 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace dynacc::platform
