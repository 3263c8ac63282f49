// BlockedSignals: threads that are started in its extent never run a signal handler.
//
// Signals are the host's business. CPython above all notices a signal at once only if its handler
// ran on the main thread; one that a worker took would wait there until something else wakes the
// interpreter loop.
#pragma once

#include <signal.h>

namespace dynacc::platform {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace dynacc::platform
