// CallGate: who may call into Python now. Open while a Runtime is there; closing it waits for the
// calls that run.
//
// Entering and leaving are two atomic additions, so that any number of host threads may come at
// once. In a forked child the gate stays shut: the child has one thread and Python's locks may be
// held by threads that it does not have.
#pragma once

#include <atomic>

#include "absl/status/status.h"

namespace dynacc {

class CallGate {
 public:
  void Open();
  // Shuts the gate and waits until everyone has left.
  void Close();
  bool open() const { return state_.load(std::memory_order_acquire) & kOpen; }

  // FAILED_PRECONDITION while shut. After an ok Enter the caller must Leave.
  absl::Status Enter();
  void Leave();

  // Marks the gate as a forked child's copy.
  void Forked() { forked_.store(true, std::memory_order_relaxed); }
  bool forked() const { return forked_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kOpen = 1;    // the lowest bit
  static constexpr uint64_t kCaller = 2;  // one caller inside

  std::atomic<uint64_t> state_ = 0;
  std::atomic<bool> forked_ = false;
};

// The gate of this process. Never destroyed.
CallGate& TheCallGate();

}  // namespace dynacc
