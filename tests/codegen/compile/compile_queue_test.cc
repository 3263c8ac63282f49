#include "codegen/compile/compile_queue.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
#include "gtest/gtest.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::compile {
namespace {

using testing::VectorSink;
using testing::ViewOf;

class CompileQueueTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::RegisterMimicLoops(); }

  static std::shared_ptr<const CompileJob> Submit() {
    auto graph = ir::ParseGraph(R"(graph {
      %0: f64[3] = input 0
      %1: f64[3] = add %0, %0
      %2: f64[3] = multiply %1, %0
      return %2
    })");
    EXPECT_TRUE(graph.ok()) << graph.status();
    CompileOptions options;
    options.target = "tile";
    return CompileLater(**graph, options);  // the graph may go at once
  }

  static bool Finishes(const CompileJob& job) {
    for (int i = 0; i < 10'000 && !job.done(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return job.done() && job.result().ok();
  }
};

TEST_F(CompileQueueTest, GivesGraphsThatRun) {
  const auto job = Submit();
  ASSERT_TRUE(Finishes(*job));
  std::vector<double> x = {1, 2, 3};
  const StridedView input = ViewOf(x, DType::kFloat64, {3});
  const ScalarValue scalars[] = {ScalarValue{.i = 3}};
  VectorSink sink;
  executor::RunArguments run;
  run.inputs = {&input, 1};
  run.scalars = scalars;
  run.sink = &sink;
  ASSERT_TRUE((*job->result())->Run(run).ok());
  EXPECT_EQ(sink.Values<double>(0), (std::vector<double>{2, 8, 18}));
}

TEST_F(CompileQueueTest, WorksAgainAfterItWasIdleOrStopped) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::shared_ptr<const CompileJob>> jobs;
    for (int i = 0; i < 5; ++i) jobs.push_back(Submit());
    for (const auto& job : jobs) ASSERT_TRUE(Finishes(*job));
    StopCompiling();
  }
}

TEST_F(CompileQueueTest, StoppingLeavesEachJobDoneOrForgotten) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::shared_ptr<const CompileJob>> jobs;
    for (int i = 0; i < 20; ++i) jobs.push_back(Submit());
    StopCompiling();
    std::vector<bool> done;
    for (const auto& job : jobs) done.push_back(job->done());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(jobs[i]->done(), done[i]);
  }
}

// Whose threads end and begin while others stop the queue: each is joined once.
TEST_F(CompileQueueTest, IsStoppedWhileOthersAdd) {
  std::atomic<bool> goes_on{true};
  std::atomic<int> ran{0};
  std::vector<std::thread> adding;
  for (int i = 0; i < 2; ++i) {
    adding.emplace_back([&] {
      while (goes_on) {
        CompileLater([&ran] { ++ran; });
        std::this_thread::yield();
      }
    });
  }
  while (ran < 2'000) {
    StopCompiling();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  goes_on = false;
  for (std::thread& thread : adding) thread.join();
  StopCompiling();
  EXPECT_TRUE(Finishes(*Submit()));
}

TEST_F(CompileQueueTest, ParentAndChildOfAForkBothFinishWhatWaits) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::shared_ptr<const CompileJob>> jobs;
    for (int i = 0; i < 10; ++i) jobs.push_back(Submit());
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      bool finished = true;
      for (const auto& job : jobs) finished &= Finishes(*job);
      finished &= Finishes(*Submit());
      _exit(finished ? 0 : 1);
    }
    for (const auto& job : jobs) EXPECT_TRUE(Finishes(*job));
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

// What runs when idle has a thread of idle priority, and does not keep compiles waiting.
TEST_F(CompileQueueTest, TheIdleThreadIsAnother) {
  std::atomic<int> policy{-1};
  std::atomic<bool> goes_on{true};
  RunWhenIdle([&](bool (*)()) {
    int now = -1;
    sched_param parameters;
    pthread_getschedparam(pthread_self(), &now, &parameters);
    policy = now;
    while (goes_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_TRUE(Finishes(*Submit()));
  for (int i = 0; i < 10'000 && policy < 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  goes_on = false;
  EXPECT_EQ(policy, SCHED_IDLE);
  StopCompiling();
}

// Jobs that queue compiles all the time, and forks.
TEST_F(CompileQueueTest, ForksWhileAnIdleJobCompiles) {
  std::atomic<int> compiled{0};
  for (int i = 0; i < 20; ++i) {
    RunWhenIdle([&](bool (*stop)()) {
      while (!stop()) {
        Submit();
        ++compiled;
      }
    });
    const int before = compiled;
    while (compiled == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  StopCompiling();
}

// A fork and a stop tell the job in hand to end, and wait for that.
TEST_F(CompileQueueTest, TheIdleThreadIsStopped) {
  for (const bool forks : {true, false}) {
    std::atomic<int> state{0};
    RunWhenIdle([&](bool (*stop)()) {
      state = 1;
      while (!stop()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      state = 2;
    });
    while (state == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (forks) {
      const pid_t child = fork();
      if (child == 0) _exit(state == 2 ? 0 : 1);
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    } else {
      StopCompiling();
    }
    EXPECT_EQ(state, 2);
  }
  std::atomic<bool> stopped{true}, ran{false};  // the next one is not
  RunWhenIdle([&](bool (*stop)()) {
    stopped = stop();
    ran = true;
  });
  while (!ran) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(stopped);
  StopCompiling();
}

}  // namespace
}  // namespace dynacc::compile
