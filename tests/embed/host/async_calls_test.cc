// CallAsync: completions, futures, executors, and the end of a Runtime.
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "tests/embed/host/host_test.h"

namespace dynacc {
namespace {

using testing::HasSubstr;

// A thread for each piece of work; counts them.
class ThreadEach : public Executor {
 public:
  ~ThreadEach() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void Run(std::function<void()> work) override {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back(std::move(work));
  }
  size_t count() {
    const std::lock_guard lock(mutex_);
    return threads_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

class AsyncCallsTest : public HostTest {
 protected:
  RuntimeOptions Options() override {
    RuntimeOptions options;
    options.executor = executor_;
    return options;
  }

  std::shared_ptr<ThreadEach> executor_;  // null: the Runtime's own pool
};

class HostsExecutorTest : public AsyncCallsTest {
 protected:
  HostsExecutorTest() { executor_ = std::make_shared<ThreadEach>(); }
};

constexpr char kSum[] = "def f(a, k=1): return float(a.sum() * k)\n";

TEST_F(AsyncCallsTest, EachResultIsThatOfItsCall) {
  const Function f = FunctionOf(kSum);
  const std::vector<double> ones(100, 1.0);
  std::vector<std::future<absl::StatusOr<Value>>> futures;
  for (int k = 0; k < 50; ++k) {
    futures.push_back(f.CallAsync({TensorView::Of(ones.data(), {100}), k}));
  }
  for (int k = 0; k < 50; ++k) EXPECT_EQ(futures[k].get()->As<double>(), 100.0 * k);
  EXPECT_EQ(f.CallAsync({7}).get().status().code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(Function().CallAsync({}).get().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(AsyncCallsTest, CompletionsMayCallOn) {
  const Function f = FunctionOf("def f(n): return n + 1\n");
  absl::Notification over;
  int64_t last = 0;
  std::function<void(absl::StatusOr<Value>)> next = [&](absl::StatusOr<Value> result) {
    last = result->As<int64_t>();
    if (last == 20) return over.Notify();
    f.CallAsync({last}, {}, next);
  };
  f.CallAsync({0}, {}, next);
  over.WaitForNotification();
  EXPECT_EQ(last, 20);
}

TEST_F(AsyncCallsTest, OptionsAreKeptUntilTheCall) {
  const Function f = FunctionOf("def f(*, k):\n  while k < 0: pass\n  return k\n");
  CallOptions options;
  options.keywords = {{"k", 5}};
  EXPECT_EQ(f.CallAsync({}, options).get()->As<int64_t>(), 5);
  options.keywords = {{"k", -1}};
  std::future<absl::StatusOr<Value>> endless;
  auto cancellation = std::make_unique<Cancellation>();
  Cancellation copy = *cancellation;
  options.cancellation = cancellation.get();
  endless = f.CallAsync({}, options);
  cancellation.reset();
  copy.Cancel();
  EXPECT_EQ(endless.get().status().code(), absl::StatusCode::kCancelled);
}

TEST_F(AsyncCallsTest, TheEndOfTheRuntimeAnswersAll) {
  const Function f = FunctionOf("import time\ndef f(): time.sleep(0.01)\n");
  std::vector<std::future<absl::StatusOr<Value>>> futures;
  for (int i = 0; i < 40; ++i) futures.push_back(f.CallAsync({}));
  runtime_.reset();
  int refused = 0;
  for (auto& future : futures) {
    const absl::Status status = future.get().status();
    if (!status.ok()) {
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(f.CallAsync({}).get().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(HostsExecutorTest, RunsTheCalls) {
  const Function f = FunctionOf("import threading\ndef f(): return threading.get_ident()\n");
  const int64_t here = f.Call({})->As<int64_t>();
  for (int i = 0; i < 5; ++i) EXPECT_NE(f.CallAsync({}).get()->As<int64_t>(), here);
  EXPECT_EQ(executor_->count(), 5U);
  runtime_.reset();
  EXPECT_EQ(executor_.use_count(), 1);
  EXPECT_EQ(f.CallAsync({}).get().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ThreadPoolTest, RunsAllBeforeItEnds) {
  std::atomic<int> ran = 0;
  {
    const std::shared_ptr<Executor> pool = MakeThreadPool(3);
    for (int i = 0; i < 100; ++i) pool->Run([&] { ++ran; });
  }
  EXPECT_EQ(ran, 100);
  MakeThreadPool(-1)->Run([&] { ++ran; });
  EXPECT_EQ(ran, 101);
}

}  // namespace
}  // namespace dynacc
