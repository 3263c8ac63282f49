// What absl::Mutex orders, told to ThreadSanitizer: Debian's Abseil is not instrumented, so that
// without this every lock would be a race. These members stand before the library's own in a
// program, and call them.
#ifdef __SANITIZE_THREAD__
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include "absl/synchronization/mutex.h"

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

__attribute__((visibility("default"))) bool Mutex::AwaitWithDeadline(const Condition& condition,
                                                                     Time deadline) {
  DYNACC_NEXT("_ZN4absl7debian35Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE",
              bool(Mutex*, const Condition&, Time));
  __tsan_release(this);
  const bool met = next(this, condition, deadline);
  __tsan_acquire(this);
  return met;
}

ABSL_NAMESPACE_END
}  // namespace absl
#endif
