// CallGate: who may call into Python now. Open while a Runtime is there; closing it waits for the
// calls that run.
//
// Calls take turns: only so many are inside at once as keep the cores busy, and the others wait in
// a queue, in order. Without it as many threads as a host has would wait for the GIL, which goes
// to any of them, in slices of 5 ms. Two rules keep the queue from costing what it saves:
//
//   - A turn is handed over at most every 100 us. In between it goes to whichever caller is there:
//     to wake a thread takes longer than a short call.
//   - The calls inside may wait for something: a lock, the network, another call. Where half of the
//     processor time is not used although a core is free, or no turn was handed over for 20 ms,
//     while others wait, twice as many may be inside; every 100 ms half as many.
//
// Without contention entering and leaving are two atomic additions. In a forked child the gate
// stays shut: the child has one thread and Python's locks may be held by threads that it does not
// have.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace dynacc {

class CallGate {
 public:
  // At most `most_calls` are inside at once, as far as the second rule above leaves it at that.
  void Open(int most_calls);
  // Shuts the gate, turns those away who wait, and waits until everyone has left.
  void Close();
  bool open() const { return state_.load(std::memory_order_acquire) & kOpen; }

  // FAILED_PRECONDITION while shut. After an ok Enter the caller must Leave.
  absl::Status Enter();
  // The same for a call, which waits for its turn.
  absl::Status EnterCall();
  void Leave();

  // Marks the gate as a forked child's copy.
  void Forked() { forked_.store(true, std::memory_order_relaxed); }
  bool forked() const { return forked_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kOpen = 1;     // the lowest bit
  static constexpr uint64_t kWaiting = 2;  // someone is in the queue
  static constexpr uint64_t kCaller = 4;   // one caller inside

  struct Waiter {
    enum class Answer : uint8_t { kNone, kTurn, kShut };
    absl::CondVar answered;
    Answer answer = Answer::kNone;
  };

  absl::Status Refusal() const;
  absl::Status WaitForTurn();
  void HandOver() ABSL_LOCKS_EXCLUDED(mutex_);
  void Admit(int64_t now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Raise(int64_t now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Lower() ABSL_LOCKS_EXCLUDED(mutex_);
  bool JustHandedOver() const;

  std::atomic<uint64_t> state_ = 0;
  std::atomic<uint64_t> limit_ = 2;          // callers inside at once ...
  std::atomic<uint64_t> least_limit_ = 2;    // ... unless it was raised ...
  std::atomic<int64_t> changed_at_ = 0;      // ... or lowered again, then
  std::atomic<int64_t> last_hand_over_ = 0;  // clock.h
  std::atomic<bool> forked_ = false;
  absl::Mutex mutex_;
  std::deque<Waiter*> queue_ ABSL_GUARDED_BY(mutex_);
  int64_t waiting_since_ ABSL_GUARDED_BY(mutex_) = 0;  // when the queue was empty last
  // When the processor time was looked at last, and what it was.
  int64_t looked_at_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t processor_time_ ABSL_GUARDED_BY(mutex_) = 0;
};

// The gate of this process. Never destroyed.
CallGate& TheCallGate();

}  // namespace dynacc
