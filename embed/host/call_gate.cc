#include "embed/host/call_gate.h"

#include <pthread.h>

namespace dynacc {

void CallGate::Open() { state_.fetch_or(kOpen, std::memory_order_release); }

void CallGate::Close() {
  uint64_t state = state_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  while (state != 0) {
    state_.wait(state, std::memory_order_acquire);
    state = state_.load(std::memory_order_acquire);
  }
}

absl::Status CallGate::Enter() {
  if (forked()) {
    return absl::FailedPreconditionError(
        "this process is a fork of the one that started the dynacc::Runtime; start it after the "
        "fork");
  }
  if (state_.fetch_add(kCaller, std::memory_order_acquire) & kOpen) return absl::OkStatus();
  Leave();
  return absl::FailedPreconditionError("there is no dynacc::Runtime: it was destroyed");
}

void CallGate::Leave() {
  // Whoever waits in Close wants the last one only.
  if (state_.fetch_sub(kCaller, std::memory_order_release) == kCaller) state_.notify_all();
}

CallGate& TheCallGate() {
  static CallGate& gate = *[] {
    pthread_atfork(nullptr, nullptr, [] { TheCallGate().Forked(); });
    return new CallGate;
  }();
  return gate;
}

}  // namespace dynacc
