// What absl::Mutex, CondVar and Notification order, told to ThreadSanitizer: Debian's Abseil is not
// instrumented, so that without this every lock would be a race. These members stand before the
// library's own in a program, and call them. There are those that the project uses.
#ifdef __SANITIZE_THREAD__
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"

namespace {

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define DYNACC_NEXT(name, ...)                       \
  static auto* const next = Next<__VA_ARGS__>(name); \
  static_assert(ABSL_OPTION_USE_INLINE_NAMESPACE == 1, "names")

namespace absl {
ABSL_NAMESPACE_BEGIN

__attribute__((visibility("default"))) void Mutex::Lock() {
  DYNACC_NEXT("_ZN4absl7debian35Mutex4LockEv", void(Mutex*));
  next(this);
  __tsan_acquire(this);
}

__attribute__((visibility("default"))) bool Mutex::TryLock() {
  DYNACC_NEXT("_ZN4absl7debian35Mutex7TryLockEv", bool(Mutex*));
  const bool locked = next(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

__attribute__((visibility("default"))) void Mutex::Unlock() {
  DYNACC_NEXT("_ZN4absl7debian35Mutex6UnlockEv", void(Mutex*));
  __tsan_release(this);
  next(this);
}

// Who reads is ordered with those who write, and in passing with others who read.
__attribute__((visibility("default"))) void Mutex::ReaderLock() {
  DYNACC_NEXT("_ZN4absl7debian35Mutex10ReaderLockEv", void(Mutex*));
  next(this);
  __tsan_acquire(this);
}

__attribute__((visibility("default"))) void Mutex::ReaderUnlock() {
  DYNACC_NEXT("_ZN4absl7debian35Mutex12ReaderUnlockEv", void(Mutex*));
  __tsan_release(this);
  next(this);
}

__attribute__((visibility("default"))) bool Mutex::AwaitWithDeadline(const Condition& condition,
                                                                     Time deadline) {
  DYNACC_NEXT("_ZN4absl7debian35Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE",
              bool(Mutex*, const Condition&, Time));
  __tsan_release(this);
  const bool met = next(this, condition, deadline);
  __tsan_acquire(this);
  return met;
}

__attribute__((visibility("default"))) bool CondVar::WaitWithTimeout(Mutex* mutex,
                                                                     Duration timeout) {
  DYNACC_NEXT("_ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE",
              bool(CondVar*, Mutex*, Duration));
  __tsan_release(mutex);
  const bool is_late = next(this, mutex, timeout);
  __tsan_acquire(mutex);
  return is_late;
}

__attribute__((visibility("default"))) void Notification::Notify() {
  DYNACC_NEXT("_ZN4absl7debian312Notification6NotifyEv", void(Notification*));
  __tsan_release(this);
  next(this);
}

__attribute__((visibility("default"))) void Notification::WaitForNotification() const {
  DYNACC_NEXT("_ZNK4absl7debian312Notification19WaitForNotificationEv", void(const Notification*));
  next(this);
  __tsan_acquire(const_cast<Notification*>(this));
}

ABSL_NAMESPACE_END
}  // namespace absl
#endif
