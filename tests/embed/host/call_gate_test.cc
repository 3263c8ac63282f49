// Turns: how many are inside, in which order others follow, and that nobody waits for ever.
#include "embed/host/call_gate.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynacc {
namespace {

// A caller on a thread of its own.
class Caller {
 public:
  explicit Caller(CallGate& gate)
      : thread_([this, &gate] {
          status_ = gate.EnterCall();
          answered_.Notify();
          may_leave_.WaitForNotification();
          if (status_.ok()) gate.Leave();
        }) {}
  ~Caller() {
    Leave();
    thread_.join();
  }

  bool IsIn() const { return answered_.HasBeenNotified(); }
  absl::Status Answer() {
    answered_.WaitForNotification();
    return status_;
  }
  void Leave() {
    if (!may_leave_.HasBeenNotified()) may_leave_.Notify();
  }

 private:
  absl::Status status_;
  absl::Notification answered_, may_leave_;
  std::thread thread_;
};

TEST(CallGateTest, NobodyIsInsideUnlessItIsOpen) {
  CallGate gate;
  EXPECT_EQ(gate.EnterCall().code(), absl::StatusCode::kFailedPrecondition);
  gate.Open(1);
  ASSERT_TRUE(gate.EnterCall().ok());
  gate.Leave();
  gate.Close();
  EXPECT_EQ(gate.Enter().code(), absl::StatusCode::kFailedPrecondition);
}

// However many threads call, each call is over some day, and no more are inside than that.
TEST(CallGateTest, AllGetTheirTurns) {
  CallGate gate;
  gate.Open(2);
  std::atomic<int> calls = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 500; ++k) {
        ASSERT_TRUE(gate.EnterCall().ok());
        ++calls;
        gate.Leave();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 4000);
  gate.Close();
}

// Those inside wait for something that those outside would do: the number rises until they are in.
TEST(CallGateTest, CallsThatStandStillLetOthersIn) {
  CallGate gate;
  gate.Open(1);
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < 12; ++i) callers.push_back(std::make_unique<Caller>(gate));
  for (const auto& caller : callers) EXPECT_TRUE(caller->Answer().ok());
  callers.clear();
  gate.Close();
}

TEST(CallGateTest, ClosingTurnsThoseAwayWhoWait) {
  CallGate gate;
  gate.Open(1);
  auto first = std::make_unique<Caller>(gate);
  ASSERT_TRUE(first->Answer().ok());
  std::atomic<int> refused = 0, let_in = 0;
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i) {
    others.emplace_back([&] {
      if (gate.EnterCall().ok()) {
        ++let_in;
        gate.Leave();
      } else {
        ++refused;
      }
    });
  }
  std::thread closing([&] { gate.Close(); });
  for (std::thread& other : others) other.join();
  EXPECT_EQ(refused + let_in, 4);
  first->Leave();
  closing.join();
  EXPECT_FALSE(gate.open());
  EXPECT_EQ(gate.EnterCall().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace dynacc
