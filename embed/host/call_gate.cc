#include "embed/host/call_gate.h"

#include <pthread.h>

#include <algorithm>

#include "runtime/base/clock.h"
#include "runtime/platform/core_load.h"

namespace dynacc {
namespace {

constexpr int64_t kMicrosecond = 1000;
constexpr int64_t kMillisecond = 1000 * kMicrosecond;
constexpr int64_t kBetweenHandOvers = 100 * kMicrosecond;
constexpr int64_t kBetweenLooks = 5 * kMillisecond;  // at the processor time
constexpr int64_t kStandstill = 20 * kMillisecond;   // without a turn that is handed over
constexpr int64_t kBetweenLowerings = 100 * kMillisecond;
constexpr uint64_t kMostInside = uint64_t{1} << 20;

}  // namespace

void CallGate::Open(int most_calls) {
  least_limit_.store(most_calls, std::memory_order_relaxed);
  limit_.store(most_calls, std::memory_order_relaxed);
  state_.fetch_or(kOpen, std::memory_order_release);
}

void CallGate::Close() {
  state_.fetch_and(~kOpen, std::memory_order_acq_rel);
  {
    absl::MutexLock lock(&mutex_);
    for (Waiter* waiter : queue_) {
      waiter->answer = Waiter::Answer::kShut;
      waiter->answered.Signal();
    }
    queue_.clear();
    state_.fetch_and(~kWaiting, std::memory_order_relaxed);
  }
  uint64_t state = state_.load(std::memory_order_acquire);
  while (state != 0) {
    state_.wait(state, std::memory_order_acquire);
    state = state_.load(std::memory_order_acquire);
  }
}

absl::Status CallGate::Refusal() const {
  return absl::FailedPreconditionError(
      forked() ? "this process is a fork of the one that started the dynacc::Runtime; start it "
                 "after the fork"
               : "there is no dynacc::Runtime: it was destroyed");
}

absl::Status CallGate::Enter() {
  if (forked()) return Refusal();
  if (state_.fetch_add(kCaller, std::memory_order_acquire) & kOpen) return absl::OkStatus();
  Leave();
  return Refusal();
}

absl::Status CallGate::EnterCall() {
  if (forked()) return Refusal();
  const uint64_t before = state_.fetch_add(kCaller, std::memory_order_acquire);
  if (!(before & kOpen)) {
    Leave();
    return Refusal();
  }
  const uint64_t inside = before / kCaller;
  const uint64_t limit = limit_.load(std::memory_order_relaxed);
  const bool has_room = inside < limit;
  const uint64_t least = least_limit_.load(std::memory_order_relaxed);
  if (inside >= least && limit > least) Lower();
  if (has_room && (!(before & kWaiting) || JustHandedOver())) return absl::OkStatus();
  return WaitForTurn();
}

void CallGate::Leave() {
  const uint64_t before = state_.fetch_sub(kCaller, std::memory_order_acq_rel);
  const bool is_last = before / kCaller == 1;
  // Whoever waits in Close wants the last one only.
  if (is_last && !(before & kOpen)) state_.notify_all();
  // The last one leaves nobody behind who could hand over later.
  if ((before & kWaiting) && (is_last || !JustHandedOver()) && !forked()) HandOver();
}

bool CallGate::JustHandedOver() const {
  return NowNanoseconds() - last_hand_over_.load(std::memory_order_relaxed) < kBetweenHandOvers;
}

void CallGate::HandOver() {
  absl::MutexLock lock(&mutex_);
  Admit(NowNanoseconds());
}

// Lets in whoever there is room for.
void CallGate::Admit(int64_t now) {
  while (!queue_.empty()) {
    const uint64_t inside = state_.load(std::memory_order_relaxed) / kCaller;
    if (inside >= limit_.load(std::memory_order_relaxed)) return;
    Waiter* const next = queue_.front();
    queue_.pop_front();
    if (queue_.empty()) state_.fetch_and(~kWaiting, std::memory_order_relaxed);
    state_.fetch_add(kCaller, std::memory_order_relaxed);
    last_hand_over_.store(now, std::memory_order_relaxed);
    next->answer = Waiter::Answer::kTurn;
    next->answered.Signal();
  }
}

// If those inside do not use the processor. Called while someone waits.
void CallGate::Raise(int64_t now) {
  const int64_t passed = now - looked_at_;
  if (passed < kBetweenLooks) return;
  const int64_t time = ClockNanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  const int64_t used = time - processor_time_, there = passed * platform::UsableCores();
  const bool is_old = passed > 4 * kBetweenLooks;  // nobody waited all that time
  looked_at_ = now;
  processor_time_ = time;
  const int64_t last = last_hand_over_.load(std::memory_order_relaxed);
  const bool stands_still = now - std::max(last, waiting_since_) > kStandstill;
  // What other programs take is not there for more of our calls.
  const auto a_core_is_free = [] {
    return platform::RunnableThreads("") <= platform::OnlineCores();
  };
  if (!stands_still && (is_old || used > there / 2 || !a_core_is_free())) return;
  limit_.store(std::min(2 * limit_.load(std::memory_order_relaxed), kMostInside),
               std::memory_order_relaxed);
  changed_at_.store(now, std::memory_order_relaxed);
}

void CallGate::Lower() {
  const int64_t now = NowNanoseconds();
  if (now - changed_at_.load(std::memory_order_relaxed) < kBetweenLowerings) return;
  absl::MutexLock lock(&mutex_);
  changed_at_.store(now, std::memory_order_relaxed);
  const uint64_t half = limit_.load(std::memory_order_relaxed) / 2;
  limit_.store(std::max(half, least_limit_.load(std::memory_order_relaxed)),
               std::memory_order_relaxed);
}

absl::Status CallGate::WaitForTurn() {
  Waiter self;
  absl::MutexLock lock(&mutex_);
  if (queue_.empty()) waiting_since_ = NowNanoseconds();
  queue_.push_back(&self);
  // Those who leave from here on see that someone waits; for those who left before, Admit looks.
  state_.fetch_or(kWaiting, std::memory_order_acq_rel);
  const uint64_t before = state_.fetch_sub(kCaller, std::memory_order_acq_rel);
  if (!(before & kOpen)) {
    queue_.pop_back();
    if (queue_.empty()) state_.fetch_and(~kWaiting, std::memory_order_acq_rel);
    state_.notify_all();
    return Refusal();
  }
  Admit(NowNanoseconds());
  while (self.answer == Waiter::Answer::kNone) {
    const bool is_next = queue_.front() == &self;
    self.answered.WaitWithTimeout(&mutex_, absl::Milliseconds(is_next ? 1 : 5));
    if (self.answer != Waiter::Answer::kNone) break;
    const int64_t now = NowNanoseconds();
    Raise(now);
    Admit(now);
  }
  return self.answer == Waiter::Answer::kTurn ? absl::OkStatus() : Refusal();
}

CallGate& TheCallGate() {
  static CallGate& gate = *[] {
    pthread_atfork(nullptr, nullptr, [] { TheCallGate().Forked(); });
    return new CallGate;
  }();
  return gate;
}

}  // namespace dynacc
