#include "frontend/capture/hook_budget.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "frontend/capture/hook_switch.h"
#include "runtime/platform/blocked_signals.h"

namespace dynacc::capture {
namespace {

// The thread that ends rests. Semaphores, not a mutex: a child of fork can make them anew whatever
// state the parent's threads left them in. Never destroyed, as the thread may outlive main().
class Waker {
 public:
  Waker() {
    Reset();
    pthread_atfork(nullptr, nullptr, [] {
      TheWaker().Reset();
      if (TheHookSwitch().resting()) TheHookSwitch().WakeFromRest();
    });
  }

  static Waker& TheWaker() {
    static Waker* waker = new Waker;
    return *waker;
  }

  // False: no thread could be had.
  bool WakeAfter(int milliseconds) {
    if (!running_ && !StartThread()) return false;
    milliseconds_.store(milliseconds, std::memory_order_relaxed);
    sem_post(&armed_);
    return true;
  }

  void Stop() {
    if (!running_) return;
    stopping_.store(true);
    sem_post(&stop_);
    sem_post(&armed_);
    pthread_join(thread_, nullptr);
    Reset();
  }

 private:
  void Reset() {
    sem_init(&armed_, 0, 0);
    sem_init(&stop_, 0, 0);
    stopping_.store(false);
    running_ = false;
  }

  // Signals are the Python threads' business: the thread is born with all of them blocked.
  bool StartThread() {
    const platform::BlockedSignals blocked;
    running_ = pthread_create(&thread_, nullptr, &Waker::Main, this) == 0;
    return running_;
  }

  static void* Main(void* self) {
    static_cast<Waker*>(self)->Loop();
    return nullptr;
  }

  void Loop() {
    while (true) {
      while (sem_wait(&armed_) != 0) {
      }
      if (!stopping_.load()) SleepOrStop();
      if (stopping_.load()) return;
      TheHookSwitch().WakeFromRest();
    }
  }

  void SleepOrStop() {
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const long nanoseconds = until.tv_nsec + milliseconds_.load() % 1000 * 1'000'000L;
    until.tv_sec += milliseconds_.load() / 1000 + nanoseconds / 1'000'000'000L;
    until.tv_nsec = nanoseconds % 1'000'000'000L;
    while (sem_timedwait(&stop_, &until) != 0 && errno == EINTR) {
    }
  }

  sem_t armed_;
  sem_t stop_;
  pthread_t thread_;
  std::atomic<int> milliseconds_{kRestMilliseconds};
  std::atomic<bool> stopping_{false};
  bool running_ = false;
};

}  // namespace

HookBudget& TheHookBudget() {
  static HookBudget budget;
  return budget;
}

void HookBudget::Start() {
  units_ = kFullBudget;
  rest_milliseconds_ = kRestMilliseconds;
  longest_rest_milliseconds_ = kLongestRestMilliseconds;
}

bool HookBudget::Extend() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  const int64_t now = time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
  if (now < extends_after_) return false;
  extends_after_ = now + extension_ * kNanosecondsOfUnit * kExtensionShare;
  units_ = extension_;
  extension_ = std::min(2 * extension_, kLongestExtension);
  return true;
}

void HookBudget::RestAWhile() {
  // Half to one and a half of it. Constants of Numerical Recipes' generator.
  random_ = random_ * 1664525 + 1013904223;
  Rest(rest_milliseconds_ / 2 + static_cast<int>((random_ >> 16) % rest_milliseconds_));
  rest_milliseconds_ = std::min(2 * rest_milliseconds_, longest_rest_milliseconds_);
}

void HookBudget::Rest(int milliseconds) {
  units_ = kWakeBudget;
  if (TheHookSwitch().forced() || TheHookSwitch().resting()) return;
  // Without a thread to end it there is no rest: slower, but nothing is missed.
  TheHookSwitch().Rest();
  if (!Waker::TheWaker().WakeAfter(milliseconds)) TheHookSwitch().WakeFromRest();
}

void HookBudget::Stop() { Waker::TheWaker().Stop(); }

}  // namespace dynacc::capture
